// Output: results to standard output, messages to standard error. All text for the terminal passes here, and
// what would control the terminal is made visible.

import { once } from 'node:events';
import { styleText } from 'node:util';
import type { List } from '@linecard/client/contract/list';
import { visibleColours, visibleJson, visibleLines } from '@linecard/client/contract/printable';
import { withoutSecrets } from '@linecard/client/contract/secrets';
import { count } from '@linecard/client/contract/wording';

const STYLES = { heading: 'bold', alarm: ['red', 'bold'], quiet: 'dim' } as const;

export type Paint = (style: 'heading' | 'alarm' | 'quiet', text: string) => string;

/** For messages, never for results. */
export const say = (message: string) => process.stderr.write(`${visibleLines(withoutSecrets(message))}\n`);

/** Colours, where the stream is a terminal that has them and NO_COLOR is not set. */
export function paintFor(stream: NodeJS.WritableStream): Paint {
  return (style, text) => styleText(STYLES[style], text, { stream, validateStream: true });
}

type Texts = AsyncIterable<string | Uint8Array> | Iterable<string>;

/** The size of a write. */
const CHUNK_CHARACTERS = 65_536;

/** Joins texts to chunks; bytes pass unchanged. */
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

/** Writes to standard output, and waits where it is slow. */
export async function print(texts: Texts): Promise<void> {
  const { stdout } = process;
  for await (const chunk of inChunks(texts)) {
    const shown = stdout.isTTY && typeof chunk === 'string' ? visibleColours(chunk) : chunk;
    if (!stdout.write(shown)) await once(stdout, 'drain');
  }
}

const shownJson = (json: string) => (process.stdout.isTTY ? visibleJson(json) : json);

export function printJson(value: unknown): Promise<void> {
  return print([shownJson(`${JSON.stringify(value, null, 2)}\n`)]);
}

function* jsonOfLists(head: object, lists: Readonly<Record<string, Iterable<unknown>>>): Generator<string> {
  yield JSON.stringify(head, null, 2).replace(/\n\}$/, '');
  for (const [name, rows] of Object.entries(lists)) {
    yield `,\n  ${JSON.stringify(name)}: [`;
    let isFirst = true;
    for (const row of rows) {
      yield `${isFirst ? '' : ','}\n    ${JSON.stringify(row, null, 2).replaceAll('\n', '\n    ')}`;
      isFirst = false;
    }
    yield isFirst ? ']' : '\n  ]';
  }
  yield '\n}\n';
}

/** Prints an object whose last members are long lists, one row after the other. The head has members, too. */
export const printJsonLists = (...lists: Parameters<typeof jsonOfLists>): Promise<void> =>
  print(jsonOfLists(...lists).map(shownJson));

/** `1 virtual number`, `46 virtual numbers` */
export function counted(n: number, { one, title }: Pick<List, 'one' | 'title'>): string {
  return `${count(n)} ${n === 1 ? one : title.toLowerCase()}`;
}
