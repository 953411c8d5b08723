// What could not be loaded of the page itself, such as a script after an upgrade of the service: says so, and
// loads it again when that is wanted or the service is found again.

import { Button, UnstyledButton } from '@mantine/core';
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { Icon } from '../icons.tsx';
import { observable } from '../observable.ts';
import { texts } from '../texts.ts';

const words = texts.trouble;

/** Of each part that is wanted and missing, what loads it again. */
const missing = new Set<() => void>();
const isReported = observable(false);

/** Loads what is missing again. */
export function loadMissing(): void {
  isReported.set(false);
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
    isReported.set(true);
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
  if (!useSyncExternalStore(isReported.observe, isReported.get)) return null;
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
      <UnstyledButton aria-label={texts.close} onClick={() => isReported.set(false)}>
        <Icon name="close" size={16} />
      </UnstyledButton>
    </div>
  );
}
