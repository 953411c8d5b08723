// What has changed in a list (docs/api.md, "Changes"): one page of it, and all that follow as they come.

import { changesPath } from '../contract/addresses.ts';
import type { ChangesPage } from '../contract/changes.ts';
import type { List } from '../contract/list.ts';
import { Problem } from '../contract/problems.ts';
import type { Params } from '../contract/query.ts';
import { withHead } from './answer-head.ts';
import { mustGoOn, pause } from './retry.ts';
import { isChangesPage } from './shape.ts';
import type { Transport } from './transport.ts';

/** How long the server may wait for changes; proxies close a connection that is silent for a minute. */
const WAIT_S = 25;
/** After an answer that came at once although there was nothing; it doubles up to the wait. */
const FIRST_PAUSE_MS = 1_000;
const MS = 1_000;

/** Where to go on from, and how large a page is; what a list is filtered by stands beside it. */
export interface ChangesQuery {
  /** The token of the answer before; `now` for a token alone. Without it the whole list comes first. */
  readonly since?: string | undefined;
  /** How many changes to a page, at most what the deployment takes; by default as many. */
  readonly page_size?: number | undefined;
}

/** Which changes are wanted, and the transport to them. */
export interface ChangesRequest {
  readonly transport: Transport;
  readonly list: List;
  readonly params: Params;
  readonly signal: AbortSignal | undefined;
  /** How many seconds the server may wait where there are none yet. */
  readonly waitSeconds: number;
}

/** Asks for the page after `since`. */
export type AskForChanges<T> = (since: string | undefined, waitSeconds: number) => Promise<ChangesPage<T>>;

/** @throws {Problem} `changes-gone`, with the way out, and as every call does */
export async function changesPage<T>(request: ChangesRequest): Promise<ChangesPage<T>> {
  const { transport, list, ...call } = request;
  try {
    const { body, head, problem } = await transport.read({ ...call, path: changesPath(list) });
    if (isChangesPage(body)) return withHead(body as ChangesPage<T>, head);
    throw problem('unexpected-answer', 'The answer is JSON, but not a page of changes.');
  } catch (error) {
    throw isGone(error) ? withWayOut(error) : error;
  }
}

/** Whether a token is of no use any more, and only the whole list is. */
export function isGone(error: unknown): error is Problem {
  return error instanceof Problem && error.code === 'changes-gone';
}

function withWayOut({ status, request_id, message }: Problem): Problem {
  const detail = `${message} Start again without \`since\`, with an empty copy.`;
  return new Problem('changes-gone', detail, { status, request_id });
}

/** A page that leads on to itself would be requested for ever. */
function mustLeadOn<T>({ data, more, since }: ChangesPage<T>, before: string | undefined): void {
  if (since !== before || (data.length === 0 && !more)) return;
  throw new Problem('endless-list', 'The changes do not come to an end: their token leads to itself.');
}

/** How long to leave the server alone that was to wait and did not, as one does that has too many waiting. */
function pauseAfter(waitedMs: number, waitSeconds: number, idle: number): number {
  if (waitSeconds === 0 || waitedMs > (waitSeconds * MS) / 2) return 0;
  return Math.min(waitSeconds * MS, FIRST_PAUSE_MS * 2 ** Math.min(idle, waitSeconds));
}

/**
 * Every page that has changes or another token, for as long as the caller takes them. It asks at once while
 * there are more, and then lets the server wait for some.
 * @throws {Problem}
 */
export async function* followChanges<T>(
  ask: AskForChanges<T>,
  from: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<ChangesPage<T>, void, void> {
  let since = from;
  let waitSeconds = 0;
  /** How many answers in a row had nothing. */
  let idle = 0;
  for (let isFirst = true; ; isFirst = false) {
    const begun = performance.now();
    const page = await ask(since, waitSeconds);
    const waitedMs = performance.now() - begun;
    mustGoOn(signal);
    mustLeadOn(page, since);
    const isEmpty = page.data.length === 0;
    if (isFirst || !isEmpty || page.since !== since) yield page;
    since = page.since;
    if (isEmpty && !page.more) await pause(pauseAfter(waitedMs, waitSeconds, idle), signal);
    idle = isEmpty ? idle + 1 : 0;
    waitSeconds = page.more ? 0 : WAIT_S;
  }
}
