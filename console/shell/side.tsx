// A panel over the page, or next to it. Escape closes it, and the focus goes back to where it was.

import { CloseButton, Drawer } from '@mantine/core';
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';
import { texts } from '../texts.ts';
import { type Keys, useKeysOf } from './keys.ts';

interface SideProps {
  readonly title: string;
  readonly position: 'left' | 'right';
  readonly size: string;
  readonly className: string;
  /** Whether the focus begins in a field of the children. */
  readonly hasField?: boolean;
  readonly keys?: Keys;
  /** Next to the title. */
  readonly actions?: ReactNode;
  /** Below the children, which scroll between it and the title. */
  readonly foot?: ReactNode;
  readonly onClose: () => void;
  /** Gets the focus where the element that had it is no longer in the page. */
  readonly fallback?: () => HTMLElement | null;
  readonly children: ReactNode;
}

/**
 * Returns the focus on unmount: to where it was, or to what `fallback` returns. It stays where it is if that
 * is outside of `within`, a panel that leaves the page usable.
 */
export function useFocusBack(
  fallback?: () => HTMLElement | null,
  within?: RefObject<HTMLElement | null>,
  from = document.activeElement,
): void {
  const before = useRef(from);
  const last = useEffectEvent(() => fallback?.());
  // While the element is still in the page: afterwards the browser has dropped the focus.
  useLayoutEffect(() => {
    const { current: element } = before;
    const panel = within?.current;
    return () => {
      const { activeElement } = document;
      if (panel && activeElement !== document.body && !panel.contains(activeElement)) return;
      const isThere = element instanceof HTMLElement && element.isConnected && element !== document.body;
      // Next to a list, another row may be shown by now.
      const back = isThere && !panel ? element : last();
      back?.focus({ preventScroll: true });
    };
  }, [within]);
}

export function Side({
  title,
  keys,
  actions,
  foot,
  hasField = false,
  onClose,
  fallback,
  children,
  ...rest
}: SideProps) {
  useFocusBack(fallback);
  useKeysOf({ ...keys, Escape: onClose });
  return (
    <Drawer.Root
      opened
      onClose={onClose}
      position={rest.position}
      size={rest.size}
      lockScroll={false}
      returnFocus={false}
      closeOnEscape={false}
    >
      <Drawer.Overlay backgroundOpacity={0.3} />
      <Drawer.Content className={rest.className}>
        <div className="row apart side-head">
          <Drawer.Title>{title}</Drawer.Title>
          {actions}
          <CloseButton
            size="lg"
            aria-label={texts.close}
            onClick={onClose}
            data-autofocus={!hasField || undefined}
          />
        </div>
        <Drawer.Body>{children}</Drawer.Body>
        {foot !== undefined && <div className="side-foot">{foot}</div>}
      </Drawer.Content>
    </Drawer.Root>
  );
}

/** What has the focus here uses these keys itself. */
const USES_KEYS =
  '[role=menu], [role=dialog], [role=slider], [aria-expanded=true], input:not([type=checkbox]), select';

/** A panel next to the page, which stays in use. */
export function Docked({
  title,
  className,
  keys,
  actions,
  onClose,
  fallback,
  children,
}: Omit<SideProps, 'position' | 'size'>) {
  const panel = useRef<HTMLDivElement>(null);
  useFocusBack(fallback, panel);
  useKeysOf(
    { ...keys, Escape: onClose },
    (target) => panel.current?.contains(target) === true || target.closest(USES_KEYS) === null,
  );
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  return (
    <div ref={panel} role="dialog" aria-label={title} tabIndex={-1} className={`docked ${className}`}>
      <div className="row apart side-head">
        <h2>{title}</h2>
        {actions}
        <CloseButton size="lg" aria-label={texts.close} onClick={onClose} />
      </div>
      {children}
    </div>
  );
}
