// A check of a file, in a thread of its own: one at a time, and none after the panel is closed.

import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { filterParams, type View } from '../contract.ts';
import { BASE, isSignedOut, problemOf } from '../linecard.ts';
import { ACCOUNT } from '../page.ts';
import { currentSession, expire } from '../session.ts';
import { onceSentenceOf } from '../shell/trouble.tsx';
import { locale, texts } from '../texts.ts';
import type { CheckAnswer, CheckRequest, Columns, Found } from './worker.ts';

export interface Source {
  /** Absent for what was pasted. */
  readonly name?: string;
  readonly blob: Blob;
}

export interface Checking {
  readonly source?: Source | undefined;
  /** Those that can be named; none where the file has no header. */
  readonly names: readonly string[];
  readonly columns: Columns;
  readonly isRunning: boolean;
  readonly found?: Found | undefined;
  /** Why there is no outcome. */
  readonly failure?: string | undefined;
}

/** The pause in typing after which the columns are named. */
const REST_MS = 200;
const NOTHING: Checking = { names: [], columns: { per: 'payment' }, isRunning: false };

function failureOf(answer: CheckAnswer, token: string): Checking['failure'] {
  if ('unclear' in answer) return answer.unclear;
  if (!('problem' in answer)) return undefined;
  const problem = problemOf(answer.problem);
  if (isSignedOut(problem)) expire(token);
  return onceSentenceOf(problem);
}

export function useChecking(view: View) {
  const [checking, set] = useState(NOTHING);
  const worker = useRef<Worker>(undefined);
  useEffect(() => () => worker.current?.terminate(), []);
  const { token = '' } = currentSession();

  const request = (message: Omit<CheckRequest, 'locale' | 'sentences'>) => {
    worker.current?.terminate();
    const own = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.current = own;
    const end = (next: Partial<Checking>) => {
      own.terminate();
      set((before) => ({ ...before, isRunning: false, ...next }));
    };
    own.addEventListener('message', ({ data }: MessageEvent<CheckAnswer>) => {
      if ('columns' in data) end({ names: data.columns });
      else if ('found' in data) end({ found: data.found });
      else end({ failure: failureOf(data, token) });
    });
    own.addEventListener('error', () => end({ failure: texts.trouble.sentences.fault }));
    own.postMessage({ ...message, locale, sentences: texts.checkFaults } satisfies CheckRequest);
  };

  const nameColumns = useDebouncedCallback((file: Blob) => request({ file }), REST_MS);
  return {
    checking,
    take: (source: Source) => {
      worker.current?.terminate();
      set({ ...NOTHING, source });
      nameColumns(source.blob);
    },
    /** What was checked with other columns is no outcome. */
    choose: (columns: Columns) => {
      worker.current?.terminate();
      set({ ...checking, columns, isRunning: false, found: undefined, failure: undefined });
    },
    check: () => {
      const { source, columns } = checking;
      if (source === undefined) return;
      nameColumns.cancel();
      set({ ...checking, isRunning: true, found: undefined, failure: undefined });
      const against = { columns, params: filterParams(view), url: BASE, token, account: ACCOUNT };
      request({ file: source.blob, against });
    },
  };
}
