// The download of every match as a file: it goes on whatever list is shown meanwhile, is held in memory until
// it is complete, and only then saved. It ends with the session that it is of.

import { useSyncExternalStore } from 'react';
import { fileTypes, type ListFacts, type View } from '../contract.ts';
import { openFile, troubleOf } from '../linecard.ts';
import { observable } from '../observable.ts';
import { currentSession, onSession } from '../session.ts';
import { onceSentenceOf } from '../shell/trouble.tsx';
import { texts } from '../texts.ts';

const words = texts.export;
/** How long a saved file's address is good for. */
const SAVED_MS = 60_000;

/** The formats in the order of the menu. */
export const FORMATS = ['xlsx', 'csv', 'ndjson'] as const;

/** The class of the button that starts a download. */
export const EXPORT_BUTTON = 'export-button';

interface FileRequest {
  readonly list: ListFacts;
  readonly view: View;
  readonly format: (typeof FORMATS)[number];
}

interface CurrentDownload {
  readonly running?: { readonly file: string; readonly done: number; readonly total: number };
  /** What came of the last one. */
  readonly said?: { readonly text: string; readonly isBad?: boolean };
}

const NONE: CurrentDownload = {};
const current = observable(NONE);
let ending: AbortController | undefined;

export function useDownload(): CurrentDownload {
  return useSyncExternalStore(current.observe, current.get);
}

/** Starts one, where none runs; `expected` is how many rows it will have, as far as that is known. */
export async function startDownload(request: FileRequest, expected: number | undefined): Promise<void> {
  const { token } = currentSession();
  if (token === undefined || current.get().running !== undefined) return;
  const own = new AbortController();
  const { signal } = own;
  ending = own;
  const file = `${request.list.word}.${request.format}`;
  /** What comes of one that was ended with its session is for nobody. */
  const say = (next: CurrentDownload) => ending === own && current.set(next);
  say({ running: { file, done: 0, total: expected ?? 0 } });
  try {
    const answer = await openFile(token, request, signal);
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    for await (const chunk of answer.bytes()) {
      chunks.push(new Uint8Array(chunk));
      say({ running: { file, done: answer.rows, total: answer.total } });
    }
    signal.throwIfAborted();
    save(new Blob(chunks, { type: fileTypes[request.format] }), file);
    say({ said: { text: words.done(file) } });
  } catch (error) {
    say({ said: signal.aborted ? { text: words.cancelled } : { text: outcomeOf(error), isBad: true } });
  }
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SAVED_MS);
}

function outcomeOf(error: unknown): string {
  return ['network', 'broken-off'].includes(troubleOf(error).code) ? words.brokenOff : onceSentenceOf(error);
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
