// `linecard api PATH`: any answer of the server as it is, or all items of a list. The token is sent to the
// server of the sign-in alone.

import { ANY_TYPE } from '@linecard/client/client/attempt';
import { linkedQuery } from '@linecard/client/client/headers';
import { type AnswerStream, Transport } from '@linecard/client/client/transport';
import { visibleJson, visibleLines } from '@linecard/client/contract/printable';
import { Problem } from '@linecard/client/contract/problems';
import { sayRetry } from './connect.ts';
import { explain } from './explain.ts';
import { ACCOUNT_OPTION, type GivenOptions, textOf } from './options.ts';
import { Failed, WrongUsage } from './outcome.ts';
import { print } from './print.ts';
import { fetchFrom } from './proxy.ts';
import { currentSignIn } from './sign-in.ts';

const URL_SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?(?:json|x-ndjson)\b/;
/** Of a page; NDJSON has none. */
const PAGE_TYPE = /^application\/json\b/;
const TEXT_TYPE = /^text\//;
const FIRST_ERROR = 400;
/** A longer answer with an error is not Linecard's, and is not shown. */
const MAX_REFUSAL_BYTES = 1_048_576;

/** A copy of the body of an answer, unpacked; `undefined` where it is too long. */
async function shortText(response: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.clone().body?.getReader();
  let text = '';
  let bytes = 0;
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    bytes += read.value.length;
    if (bytes > MAX_REFUSAL_BYTES) {
      // It ends when the answer itself has been read, which comes later.
      reader?.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(read.value, { stream: true });
  }
  return text + decoder.decode();
}

/**
 * The path of an address within the deployment, which is given with or without the URL of the server;
 * `undefined` for any other.
 */
function insideOf(base: string, given: string): string | undefined {
  const { origin, pathname } = new URL(base);
  const prefix = pathname.replace(/\/$/, '');
  const inside = given.startsWith(`${prefix}/`) ? given : `${prefix}/${given.replace(/^\//, '')}`;
  const url = URL.parse(URL_SCHEME.test(given) ? given : origin + inside);
  const isOurs =
    url?.origin === origin &&
    url.username === '' &&
    url.password === '' &&
    `${url.pathname}/`.startsWith(`${prefix}/`);
  return isOurs ? url.pathname.slice(prefix.length) + url.search : undefined;
}

/** @throws {WrongUsage} for an address elsewhere */
export function pathIn(base: string, given: string): string {
  const path = insideOf(base, given);
  if (path !== undefined) return path;
  throw new WrongUsage(
    `The token belongs to ${base}, and "${given}" is not an address there. Give a path such as /api/v1/account.`,
  );
}

/** Makes an answer safe where standard output is a terminal. */
async function* shown({ headers, chunks }: AnswerStream): AsyncGenerator<string | Uint8Array, void, void> {
  if (!process.stdout.isTTY) return yield* chunks;
  const type = headers.get('content-type') ?? '';
  if (!JSON_TYPE.test(type) && !TEXT_TYPE.test(type))
    throw new WrongUsage(
      `The answer is ${visibleLines(type)}, which a terminal cannot show. Write it to a file: add > and its name.`,
    );
  const decoder = new TextDecoder();
  const safe = JSON_TYPE.test(type) ? visibleJson : visibleLines;
  for await (const chunk of chunks) yield safe(decoder.decode(chunk, { stream: true }));
  yield '\n';
}

interface PageBody {
  readonly data: readonly unknown[];
  readonly page: number;
  readonly total_pages: number;
}

function isPage(body: unknown): body is PageBody {
  const { data, page, total_pages } = (body ?? {}) as Partial<PageBody>;
  return Array.isArray(data) && Number.isSafeInteger(page) && Number.isSafeInteger(total_pages);
}

async function pageOf(answer: AnswerStream, path: string): Promise<PageBody> {
  const { headers, chunks, problem } = answer;
  const hasPages = PAGE_TYPE.test(headers.get('content-type') ?? '');
  let text = '';
  if (hasPages) {
    const decoder = new TextDecoder();
    for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  }
  answer.cancel();
  try {
    const body: unknown = hasPages ? JSON.parse(text) : undefined;
    if (isPage(body)) return body;
  } catch (error) {
    throw problem('broken-off', 'The answer is incomplete: it is not JSON.', error);
  }
  throw new WrongUsage(`${path} has no pages: leave --paginate out.`);
}

/** The items of all pages, a line each. */
async function* itemsOf(
  open: (path: string) => Promise<AnswerStream>,
  path: string,
): AsyncGenerator<string, void, void> {
  const seen = new Set<string>();
  const [list = ''] = path.split('?');
  for (let next = path; ; ) {
    seen.add(next);
    const answer = await open(next);
    const { data, page, total_pages } = await pageOf(answer, list);
    for (const item of data) {
      const line = `${JSON.stringify(item)}\n`;
      yield process.stdout.isTTY ? visibleJson(line) : line;
    }
    const query = linkedQuery(answer.headers.get('link'), 'next');
    if (query === undefined && page >= total_pages) return;
    next = `${list}?${String(query)}`;
    if (query === undefined || seen.has(next))
      throw new Failed(
        'The answer has no link to the next page. Use shorter filters, or a file such as PATH.ndjson.',
      );
  }
}

/** @throws {WrongUsage} {Failed} for every answer that is an error, after its body */
export async function showAnswer(given: string, options: GivenOptions, signal: AbortSignal): Promise<void> {
  const signIn = await currentSignIn();
  const path = pathIn(signIn.url, given);
  const send = fetchFrom(signIn.url);
  let refusal: string | undefined;
  let moved: string | undefined;
  const keeping = async (url: string, init: RequestInit) => {
    const response = await send(url, init);
    const location = response.headers.get('location');
    moved = location === null ? undefined : URL.parse(location, url)?.href;
    // One that breaks off is a problem where it is read again.
    refusal = response.status < FIRST_ERROR ? undefined : await shortText(response).catch(() => undefined);
    return response;
  };
  const transport = new Transport({
    ...signIn,
    account: textOf(options, ACCOUNT_OPTION.name),
    onRetry: sayRetry,
    fetch: keeping,
  });
  const open = (at: string) => transport.open({ path: at, params: {}, signal }, ANY_TYPE);
  try {
    await print(options.has('paginate') ? itemsOf(open, path) : shown(await open(path)));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const meant =
      error.code === 'redirected' && moved !== undefined ? insideOf(signIn.url, moved) : undefined;
    if (meant !== undefined)
      throw new Failed(`${path} leads to ${visibleLines(meant)}. Give that path.`, { cause: error });
    if (refusal !== undefined) await print([process.stdout.isTTY ? `${visibleJson(refusal)}\n` : refusal]);
    throw new Failed(explain(error, (parameter) => parameter).message, { cause: error });
  }
}
