// What went wrong, in words that help: what to do, how to try again, and the id under which the operator
// finds it.

import { Button, Loader } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { Icon } from '../icons.tsx';
import { troubleOf } from '../linecard.ts';
import { isRetried } from '../queries.ts';
import { texts } from '../texts.ts';
import { CopyText } from './copy-text.tsx';
import { LoadPageAgain } from './missing-parts.tsx';
import { sentenceOf } from './sentences.ts';

const words = texts.trouble;

/** How many seconds are left of those that an answer named. */
function useSecondsLeft(error: unknown, seconds: number): number {
  const [counted, setCounted] = useState({ error, left: seconds });
  // Another error is another answer, also where it names as many seconds.
  if (counted.error !== error) setCounted({ error, left: seconds });
  useEffect(() => {
    const count = () => setCounted(({ error: same, left }) => ({ error: same, left: Math.max(0, left - 1) }));
    const timer = setInterval(count, 1_000);
    return () => clearInterval(timer);
  }, []);
  return counted.left;
}

/** When it is tried again: beside what is announced, since it changes every second. */
function Again({ error, code, seconds }: { error: unknown; code: string; seconds: number }) {
  const left = useSecondsLeft(error, seconds);
  if (!isRetried(code)) return null;
  return <p>{left > 0 ? words.inSeconds(left) : words.byItself}</p>;
}

interface TroubleProps {
  readonly error: unknown;
  readonly onAgain?: () => void;
  readonly isAgain?: boolean;
  readonly children?: ReactNode;
}

/** Stays as it is while it is tried again: what is in the alert is announced whenever it changes. */
export function Trouble({ error, onAgain, isAgain = false, children }: TroubleProps) {
  const trouble = troubleOf(error);
  const { code, faults, requestId, retryAfter = 0 } = trouble;
  const canHelp = !['not-found', 'invalid-parameter'].includes(code);
  return (
    <div className="trouble">
      <span className="trouble-mark">
        <Icon name="warning" size={22} />
      </span>
      <div>
        <div role="alert">
          <h2>{words.title}</h2>
          <p>{sentenceOf(trouble)}</p>
        </div>
        {faults.length > 0 && (
          <ul>
            {faults.map(({ detail }) => (
              <li key={detail}>{detail}</li>
            ))}
          </ul>
        )}
        <Again error={error} code={code} seconds={retryAfter} />
        {requestId !== undefined && (
          <p className="trouble-id">
            {words.request} <CopyText value={requestId} label={words.request} />
          </p>
        )}
        <div className="trouble-ways">
          {code === 'fault' && <LoadPageAgain />}
          {onAgain !== undefined && canHelp && <AgainButton onAgain={onAgain} isAgain={isAgain} />}
          {children}
        </div>
      </div>
    </div>
  );
}

/** Keeps the focus while it is tried again, which a button that is disabled would lose. */
function AgainButton({ onAgain, isAgain }: { readonly onAgain: () => void; readonly isAgain: boolean }) {
  return (
    <Button
      variant="default"
      size="sm"
      aria-disabled={isAgain}
      leftSection={isAgain ? <Loader size={14} /> : undefined}
      onClick={() => !isAgain && onAgain()}
    >
      {words.again}
    </Button>
  );
}
