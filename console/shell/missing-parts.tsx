// What could not be loaded of the page itself, such as a script after an upgrade of the service: says so, and
// loads it again when that is wanted or the service is found again.

import { Button, UnstyledButton } from '@mantine/core';
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { Icon } from '../icons.tsx';
import { texts } from '../texts.ts';

const words = texts.trouble;

/** Of each part that is wanted and missing, what loads it again. */
const missing = new Set<() => void>();
const listeners = new Set<() => void>();
let isReported = false;

function report(next: boolean): void {
  isReported = next;
  for (const listener of listeners) listener();
}

function onReport(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Loads what is missing again. */
export function loadMissing(): void {
  report(false);
  for (const again of [...missing]) again();
}

interface MissingProps {
  readonly onFailed: () => void;
  readonly onAgain: () => void;
  readonly children: ReactNode;
}

/** Stands in the place of a part that could not be loaded. */
export function Missing({ onFailed, onAgain, children }: MissingProps) {
  useEffect(() => {
    report(true);
    missing.add(onAgain);
    onFailed();
    return () => void missing.delete(onAgain);
  }, [onFailed, onAgain]);
  return children;
}

/** Loads the whole page again, with the scripts that the service has now. */
export function LoadPageAgain() {
  return (
    <Button variant="default" size="xs" onClick={() => location.reload()}>
      {words.reload}
    </Button>
  );
}

export function MissingParts() {
  if (!useSyncExternalStore(onReport, () => isReported)) return null;
  const onRead = () => {
    document.querySelector<HTMLElement>('#list')?.focus({ preventScroll: true });
    report(false);
  };
  return (
    <div className="toast" data-bad>
      <div className="toast-main">
        <span role="alert">{words.part}</span>
        <div className="toast-ways">
          <Button variant="default" size="xs" onClick={loadMissing}>
            {words.again}
          </Button>
          <LoadPageAgain />
        </div>
      </div>
      <UnstyledButton aria-label={texts.close} onClick={onRead}>
        <Icon name="close" size={16} />
      </UnstyledButton>
    </div>
  );
}
