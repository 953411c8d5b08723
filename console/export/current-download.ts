// The download that goes on, whatever list is looked at meanwhile, and what came of the last one. It ends
// with the session that it is of.

import { useSyncExternalStore } from 'react';
import { troubleOf } from '../linecard.ts';
import { observable } from '../observable.ts';
import { currentSession, onSession } from '../session.ts';
import { onceSentenceOf } from '../shell/sentences.ts';
import { texts } from '../texts.ts';
import { BrokenOff, type FileRequest, fileName, saveAll } from './download.ts';

const words = texts.export;

/** The class of the button that starts one. */
export const EXPORT_BUTTON = 'export-button';

interface Running {
  readonly file: string;
  readonly done: number;
  readonly total: number;
}

interface Said {
  readonly text: string;
  readonly isBad?: boolean;
}

interface CurrentDownload {
  readonly running?: Running;
  readonly said?: Said;
}

const NONE: CurrentDownload = {};
const current = observable(NONE);
let ending: AbortController | undefined;

export function useDownload(): CurrentDownload {
  return useSyncExternalStore(current.observe, current.get);
}

function outcomeOf(error: unknown): string {
  if (error instanceof BrokenOff) return words.brokenOff;
  return ['network', 'broken-off'].includes(troubleOf(error).code) ? words.brokenOff : onceSentenceOf(error);
}

/** Starts one, where none goes on; `expected` is how many rows it will have, as far as that is known. */
export async function startDownload(
  request: Omit<FileRequest, 'token' | 'signal'>,
  expected: number | undefined,
): Promise<void> {
  const { token } = currentSession();
  if (token === undefined || current.get().running !== undefined) return;
  const own = new AbortController();
  const { signal } = own;
  ending = own;
  const file = fileName(request);
  /** What comes of one that was ended with its session is for nobody. */
  const say = (next: CurrentDownload) => ending === own && current.set(next);
  say({ running: { file, done: 0, total: expected ?? 0 } });
  try {
    await saveAll({ ...request, token, signal }, (done, total) => say({ running: { file, done, total } }));
    say({ said: { text: words.done(file) } });
  } catch (error) {
    say({ said: signal.aborted ? { text: words.cancelled } : { text: outcomeOf(error), isBad: true } });
  }
}

export function cancelDownload(): void {
  ending?.abort();
}

/** Takes away what came of the last one. */
export function forgetDownload(): void {
  current.set(NONE);
}

let { token: before } = currentSession();
onSession(() => {
  const { token } = currentSession();
  if (token === before) return;
  before = token;
  ending?.abort();
  ending = undefined;
  current.set(NONE);
});
