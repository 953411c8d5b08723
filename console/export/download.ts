// A view as a file or as a request. A file with every match is held in memory until it is complete, and only
// then saved. Its download continues while other lists are shown, and ends with its session.

import { fileTypes, type ListFacts, pageParams, type View, writeQuery } from '../contract.ts';
import { filterText } from '../filters/words.ts';
import { plural, withHyphen } from '../format.ts';
import { BASE, openFile, troubleOf } from '../linecard.ts';
import { ACCOUNT } from '../page.ts';
import { accountQuery, queries } from '../queries.ts';
import { currentSession, onSession } from '../session.ts';
import { onceSentenceOf } from '../shell/trouble.tsx';
import { texts } from '../texts.ts';
import { localDays } from '../times.ts';
import { activeFilters } from '../view.ts';
import { type CurrentDownload, current, NONE } from './current.ts';

const words = texts.export;
/** How long the object URL of a saved file stays valid. */
const SAVED_MS = 60_000;

/** In the order of the menu. */
export const FORMATS = ['xlsx', 'csv', 'ndjson'] as const;

interface FileRequest {
  readonly list: ListFacts;
  readonly view: View;
  readonly format: (typeof FORMATS)[number];
  /** The names of the fields that are columns; absent for all. */
  readonly columns?: readonly string[] | undefined;
}

let ending: AbortController | undefined;

/** What no file system accepts, or reads as a folder. */
const NOT_IN_NAMES = /[\p{Cc}\p{Cf}"*/:<>?\\|]+/gu;
/** Leaves room for a folder: many systems allow 255 bytes. */
const MOST_CHARACTERS = 60;

/** `Ringmallow Answers - virtual numbers - Germany - 2026-11-24.xlsx` */
function fileName({ list, view, format }: FileRequest): string {
  const account = queries.getQueryData(accountQuery().queryKey);
  const { ids } = view.filters;
  const filters = Array.isArray(ids)
    ? [plural(texts.select.count, ids.length)]
    : activeFilters(list, view).map(({ filter, value }) =>
        filterText(filter, value, account?.currency ?? undefined),
      );
  const parts = [
    account?.name || account?.id || '',
    list.many,
    [...(view.q === undefined ? [] : [view.q]), ...filters].join(', '),
    localDays.fromToday(0),
  ];
  const clean = parts.map((part) =>
    withHyphen(part)
      .replaceAll(NOT_IN_NAMES, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
      .slice(0, MOST_CHARACTERS)
      .trim(),
  );
  return `${clean.filter((part) => part !== '').join(' - ')}.${format}`;
}

/** Starts one if none is running; `expected` is the number of rows, as far as it is known. */
export async function startDownload(request: FileRequest, expected: number | undefined): Promise<void> {
  const { token } = currentSession();
  if (token === undefined || current.get().running !== undefined) return;
  const own = new AbortController();
  const { signal } = own;
  ending = own;
  const file = fileName(request);
  // After the session ended, nobody wants to know its outcome.
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

export function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SAVED_MS);
}

function outcomeOf(error: unknown): string {
  return ['network', 'broken-off'].includes(troubleOf(error).code)
    ? words.brokenOff
    : texts.labelled(words.title, onceSentenceOf(error));
}

export function cancelDownload(): void {
  ending?.abort();
}

/** Removes the outcome of the last one. */
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

/** The variable of a request that has the token. */
const TOKEN = 'LINECARD_TOKEN';

/** For a POSIX shell. */
const quoted = (text: string) => (/^[\w.:/@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

function asCurl(list: ListFacts, view: View): string {
  const url = `${BASE}${list.path}?${writeQuery(pageParams(view))}`;
  const account =
    ACCOUNT === undefined ? '' : ` -H ${quoted(`Linecard-Account: ${encodeURIComponent(ACCOUNT)}`)}`;
  return `curl -H "Authorization: Bearer $${TOKEN}"${account} ${quoted(url)}`;
}

/** `\,` is a comma within a value. */
const listed = (values: readonly unknown[]) =>
  values.map((value) => String(value).replaceAll(',', String.raw`\,`)).join(',');

function asCommand(list: ListFacts, view: View): string {
  const options = Object.entries(pageParams(view)).flatMap(([name, value]) => {
    const text = Array.isArray(value) ? listed(value) : String(value);
    return ` --${name.replaceAll('_', '-')}=${quoted(text)}`;
  });
  const account = ACCOUNT === undefined ? '' : ` --account=${quoted(ACCOUNT)}`;
  return `LINECARD_URL=${quoted(BASE)} npx linecard ${list.word} list${account}${options.join('')}`;
}

function asTypeScript(list: ListFacts, view: View): string {
  const params = Object.entries(pageParams(view)).map(
    ([name, value]) => `  ${name}: ${JSON.stringify(value)},\n`,
  );
  const account = ACCOUNT === undefined ? '' : `.account(${JSON.stringify(ACCOUNT)})`;
  return [
    `import { env } from 'node:process';\nimport { Client } from '@linecard/client';\n\n`,
    `const client = new Client({ url: ${JSON.stringify(BASE)}, token: env.${TOKEN} ?? '' });\n`,
    `const page = await client${account}.${list.member}.list({\n${params.join('')}});\n`,
    `console.log(page.data, page.total);\n`,
  ].join('');
}

const forms = { curl: asCurl, cli: asCommand, typescript: asTypeScript } as const;
type Form = keyof typeof forms;

export const REQUESTS = Object.keys(forms) as Form[];

export const requestAs = (form: Form, list: ListFacts, view: View): string => forms[form](list, view);
