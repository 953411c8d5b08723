// Parts of the page that are loaded after the first view, with a placeholder of their size. A part that
// cannot be loaded, such as a script after an upgrade of the service, is reported and loaded again.

import { Button, UnstyledButton } from '@mantine/core';
import {
  Component,
  type ComponentType,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useState,
  useSyncExternalStore,
} from 'react';
import { Icon } from '../icons.tsx';
import { observable } from '../observable.ts';
import { texts } from '../texts.ts';
import { ReloadButton } from './trouble.tsx';

interface FenceProps {
  /** When this changes, the children are rendered again. */
  readonly around: unknown;
  readonly instead: (error: unknown) => ReactNode;
  readonly children: ReactNode;
}

interface FenceState {
  readonly caught: { readonly error: unknown } | undefined;
}

/** Catches an error of its children and renders something else in their place. */
export class Fence extends Component<FenceProps, FenceState> {
  override state: FenceState = { caught: undefined };
  static getDerivedStateFromError(error: unknown): FenceState {
    return { caught: { error } };
  }
  override componentDidUpdate({ around }: FenceProps) {
    if (around !== this.props.around && this.state.caught !== undefined) this.setState({ caught: undefined });
  }
  override render() {
    const { caught } = this.state;
    return caught === undefined ? this.props.children : this.props.instead(caught.error);
  }
}

// Without withResolvers, which browsers of 2023 lack.
let onIdle = (): void => undefined;
const idle = new Promise<void>((resolve) => {
  onIdle = resolve;
});

/** Loads the parts that most people open, before they do: also those of a page that is loaded later. */
export const loadLikely = (): void => onIdle();

interface How {
  /** Whether it is loaded as soon as the page has nothing else to do. */
  readonly isLikely?: boolean;
  /** Whether nothing is said where it cannot be loaded: a small control comes by itself later. */
  readonly isQuiet?: boolean;
}

/**
 * A named export of a file, loaded when it is first rendered, and rendered immediately from then on. One that
 * cannot be loaded and is closed with `onClose` is closed, so that a dialog does not open minutes later.
 * It does without `Suspense`, which shows no content within 300 ms of a placeholder.
 * @param waiting a placeholder
 */
export function later<N extends string, P extends object>(
  name: N,
  load: () => Promise<Readonly<Record<N, ComponentType<P>>>>,
  waiting: (props: P) => ReactNode = () => null,
  { isLikely = false, isQuiet = false }: How = {},
): (props: P) => ReactNode {
  let part: ComponentType<P> | undefined;
  const request = async () => {
    part ??= (await load())[name];
  };
  if (isLikely) idle.then(request).catch(() => {}); // reported when it is opened
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each part
  return function Later(props) {
    const { onClose }: { readonly onClose?: () => void } = props;
    const [state, setState] = useState<'loading' | 'loaded' | 'missing'>('loading');
    const Part = part;
    const isWanted = Part === undefined && state === 'loading';
    useEffect(() => {
      if (!isWanted) return undefined;
      let isOpen = true;
      const end = (next: 'loaded' | 'missing') => () => isOpen && setState(next);
      request().then(end('loaded'), end('missing'));
      return () => {
        isOpen = false;
      };
    }, [isWanted]);
    if (Part !== undefined) return <Part {...props} />;
    if (state === 'loading') return waiting(props);
    return (
      <Missing isQuiet={isQuiet} onFailed={onClose} onAgain={() => setState('loading')}>
        {waiting(props)}
      </Missing>
    );
  };
}

/** What opens over the page at one of its edges. */
export const LaterSide = later('Side', async () => ({ Side: (await import('./side.tsx')).Side }));

/** Where a page will be that is loaded when it is first opened. */
export function PagePlace() {
  return <main id="list" className="plain-page" tabIndex={-1} aria-busy="true" aria-label={texts.loading} />;
}

/** For each missing part, what loads it again. */
const missing = new Set<() => void>();
const isReported = observable(false);

export function loadMissing(): void {
  isReported.set(false);
  for (const again of [...missing]) again();
}

interface MissingProps {
  readonly isQuiet: boolean;
  readonly onFailed: (() => void) | undefined;
  readonly onAgain: () => void;
  readonly children: ReactNode;
}

/** In place of a part that could not be loaded. */
function Missing({ isQuiet, onFailed, onAgain, children }: MissingProps) {
  const failed = useEffectEvent(() => onFailed?.());
  const again = useEffectEvent(onAgain);
  useEffect(() => {
    const load = () => again();
    if (!isQuiet) isReported.set(true);
    missing.add(load);
    failed();
    return () => void missing.delete(load);
  }, [isQuiet]);
  return children;
}

interface ToastProps {
  readonly isBad: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** What is said at the edge of the page until it is read. */
export function Toast({ isBad, onClose, children }: ToastProps) {
  return (
    <div className="row toast" data-bad={isBad || undefined}>
      {isBad && <Icon name="warning" size={20} />}
      <div className="toast-main">{children}</div>
      <UnstyledButton aria-label={texts.close} onClick={onClose}>
        <Icon name="close" size={16} />
      </UnstyledButton>
    </div>
  );
}

/** Reports missing parts. */
export function MissingParts() {
  if (!useSyncExternalStore(isReported.observe, isReported.get)) return null;
  return (
    <Toast isBad onClose={() => isReported.set(false)}>
      <span role="alert">{texts.trouble.part}</span>
      <div className="row">
        <Button variant="default" size="xs" onClick={loadMissing}>
          {texts.trouble.again}
        </Button>
        <ReloadButton />
      </div>
    </Toast>
  );
}
