// What has changed in a list (docs/generated/api.md, "Changes"): one page, and all pages after it as changes
// happen.

import { changesPath } from '../contract/addresses.ts';
import type { ChangesPage } from '../contract/changes.ts';
import type { List } from '../contract/list.ts';
import { Problem } from '../contract/problems.ts';
import type { Params } from '../contract/query.ts';
import { withHead } from './headers.ts';
import type { CallOptions } from './options.ts';
import { pause, throwIfAborted } from './retry.ts';
import { isChangesPage } from './shape.ts';
import type { Transport } from './transport.ts';

/** How long the server may wait for changes; proxies close a connection that is silent for a minute. */
const WAIT_S = 25;
/** After an answer without changes that came without waiting; it doubles up to the wait. */
const FIRST_PAUSE_MS = 1_000;
const MS = 1_000;

export interface ChangesRequest extends CallOptions {
  readonly transport: Transport;
  readonly list: List;
  readonly params: Params;
  /** How many seconds the server may wait while there are none. */
  readonly waitSeconds: number;
}

export type AskForChanges<T> = (since: string | undefined, waitSeconds: number) => Promise<ChangesPage<T>>;

/** @throws {Problem} `changes-gone`, with advice, and as every call does */
export async function changesPage<T>(request: ChangesRequest): Promise<ChangesPage<T>> {
  const { transport, list, ...call } = request;
  try {
    const wanted = { ...call, path: changesPath(list) };
    const { body, head } = await transport.read<ChangesPage<T>>(wanted, [isChangesPage, 'a page of changes']);
    return withHead(body, head);
  } catch (error) {
    throw isTokenGone(error) ? withAdvice(error) : error;
  }
}

/** Whether the server cannot report the changes since a token, so that the complete list is needed. */
export function isTokenGone(error: unknown): error is Problem {
  return error instanceof Problem && error.code === 'changes-gone';
}

function withAdvice({ status, request_id, message }: Problem): Problem {
  const detail = `${message} Start again without \`since\`, with an empty copy.`;
  return new Problem('changes-gone', detail, { status, request_id });
}

/** A page whose token leads to the same page would be requested forever. */
function mustContinue<T>({ data, more, since }: ChangesPage<T>, before: string | undefined): void {
  if (since !== before || (data.length === 0 && !more)) return;
  throw new Problem('endless-list', 'The changes do not come to an end: their token leads to itself.');
}

/** How long to pause after a server did not wait as requested, for example because too many clients wait. */
function pauseAfter(waitedMs: number, waitSeconds: number, idle: number): number {
  if (waitSeconds === 0 || waitedMs > (waitSeconds * MS) / 2) return 0;
  return Math.min(waitSeconds * MS, FIRST_PAUSE_MS * 2 ** Math.min(idle, waitSeconds));
}

/**
 * Every page that has changes or another token, for as long as the caller reads. It requests the next page
 * immediately while there are more changes, and otherwise lets the server wait for some.
 * @throws {Problem}
 */
export async function* followChanges<T>(
  ask: AskForChanges<T>,
  from: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<ChangesPage<T>, void, void> {
  let since = from;
  let waitSeconds = 0;
  /** How many answers in a row had no changes. */
  let idle = 0;
  for (let isFirst = true; ; isFirst = false) {
    const begun = performance.now();
    const page = await ask(since, waitSeconds);
    const waitedMs = performance.now() - begun;
    throwIfAborted(signal);
    mustContinue(page, since);
    const isEmpty = page.data.length === 0;
    if (isFirst || !isEmpty || page.since !== since) yield page;
    since = page.since;
    if (isEmpty && !page.more) await pause(pauseAfter(waitedMs, waitSeconds, idle), signal);
    idle = isEmpty ? idle + 1 : 0;
    waitSeconds = page.more ? 0 : WAIT_S;
  }
}
