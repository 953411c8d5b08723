// What went wrong, in words that help: what to do, how to try again, and the id under which the operator
// finds it.

import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../icons.tsx';
import { troubleOf } from '../linecard.ts';
import { texts } from '../texts.ts';
import { CopyText } from './copy-text.tsx';

const words = texts.trouble;

function sentenceOf(code: string, detail: string, retryAfter: number | undefined): string {
  if (code === 'network') return words.network;
  if (code === 'rate-limited') return words.rateLimited(String(retryAfter ?? 1));
  return detail;
}

interface TroubleProps {
  readonly error: unknown;
  readonly onAgain?: () => void;
  readonly isAgain?: boolean;
  readonly children?: ReactNode;
}

export function Trouble({ error, onAgain, isAgain = false, children }: TroubleProps) {
  const { code, detail, requestId, retryAfter } = troubleOf(error);
  return (
    <div className="trouble" role="alert">
      <span className="trouble-mark">
        <Icon name="warning" size={22} />
      </span>
      <div>
        <h2>{words.title}</h2>
        <p>{sentenceOf(code, detail, retryAfter)}</p>
        {requestId !== undefined && (
          <p className="trouble-id">
            {words.request} <CopyText value={requestId} label={words.request} />
          </p>
        )}
        <div className="trouble-ways">
          {onAgain !== undefined && (
            <Button variant="default" size="sm" onClick={onAgain} loading={isAgain}>
              {words.again}
            </Button>
          )}
          {children}
        </div>
      </div>
    </div>
  );
}
