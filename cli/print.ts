// Results go to standard output as fast as it takes them, messages to standard error. The one place where
// text reaches a terminal, and where what must not get there is made visible.

import { once } from 'node:events';
import { styleText } from 'node:util';
import type { List } from '@linecard/client/contract/list';
import { count } from '@linecard/client/contract/wording';
import { visibleColours, visibleLines } from './printable.ts';

const STYLES = { heading: 'bold', alarm: ['red', 'bold'], quiet: 'dim' } as const;

/** Puts colour around a text, where there is any. */
export type Paint = (style: 'heading' | 'alarm' | 'quiet', text: string) => string;

/** A message for the person at the terminal, never a result. */
export const say = (message: string) => process.stderr.write(`${visibleLines(message)}\n`);

/** Colours where the stream is a terminal that has them, and where NO_COLOR does not forbid it. */
export function paintFor(stream: NodeJS.WritableStream): Paint {
  return (style, text) => styleText(STYLES[style], text, { stream, validateStream: true });
}

type Texts = AsyncIterable<string | Uint8Array> | Iterable<string>;

/** How many characters are put together before they are written. */
const CHUNK_CHARACTERS = 65_536;

/** The same text in chunks of a good size; bytes pass as they are. */
export async function* inChunks(texts: Texts): AsyncGenerator<string | Uint8Array, void, void> {
  let chunk = '';
  for await (const text of texts) {
    if (typeof text === 'string') chunk += text;
    if (chunk.length >= CHUNK_CHARACTERS || (typeof text !== 'string' && chunk !== '')) {
      yield chunk;
      chunk = '';
    }
    if (typeof text !== 'string') yield text;
  }
  if (chunk !== '') yield chunk;
}

/** Puts texts out on standard output, and waits where it is slow. */
export async function print(texts: Texts): Promise<void> {
  const { stdout } = process;
  for await (const chunk of inChunks(texts)) {
    const shown = stdout.isTTY && typeof chunk === 'string' ? visibleColours(chunk) : chunk;
    if (!stdout.write(shown)) await once(stdout, 'drain');
  }
}

/** `1 virtual number`, `46 virtual numbers` */
export function counted(n: number, { one, title }: Pick<List, 'one' | 'title'>): string {
  return `${count(n)} ${n === 1 ? one : title.toLowerCase()}`;
}
