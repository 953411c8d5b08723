// Everything that has changed in a list since a token up to now, as one stream from one snapshot.

import type { Query } from '@linecard/client/contract/query';
import type { Store } from '../store/store.ts';
import type { Table } from '../store/tables.ts';
import { writeToken } from './change-token.ts';
import { type ChangesRequest, requestOf, type Step, step } from './changes.ts';
import type { Export } from './export.ts';

/** Changes that are read at once. */
const CHANGES_AT_ONCE = 500;

/** The lines of a pass, and of all that follow it. */
async function* partsOf(
  read: (since: Step['token']) => Promise<Step>,
  first: Step,
  end: (last: Step) => string,
): AsyncGenerator<string> {
  let now = first;
  for (;;) {
    if (now.lines.length > 0) yield `${now.lines.join('\n')}\n`;
    if (!now.more) break;
    now = await read(now.token);
  }
  yield end(now);
}

/**
 * Begins a stream of changes; they are read as the parts are taken.
 * @throws {Problem} `invalid-cursor`, `changes-gone`
 * @throws {StoreUnavailable}
 */
export async function beginChanges(
  store: Store,
  cursorKey: string,
  table: Table,
  account_id: string,
  query: Query,
): Promise<Export> {
  const request = { ...requestOf(cursorKey, table, account_id, query), page_size: CHANGES_AT_ONCE };
  const snapshot = await store.snapshot();
  try {
    const first = await step(snapshot, store, request);
    const { total, revision } = first.head;
    // What matches was counted, and the snapshot stays.
    const next: ChangesRequest = { ...request, selection: { ...request.selection, whole: true } };
    const read = (since: Step['token']) => step(snapshot, store, { ...next, since });
    const end = ({ token }: Step) =>
      `{"since":"${writeToken(cursorKey, request.scope, token)}","total":${total}}\n`;
    return { revision, total, parts: partsOf(read, first, end), close: () => snapshot.close() };
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}
