// Tokens of changes: what the copy that has one was read from, and where its reading stands; sealed like a
// cursor, so that one that was altered, or belongs to another account, list or filter, is refused.

import { Problem } from '@linecard/client/contract/problems';
import {
  type AppliedFilter,
  DEFAULT_SORT,
  formatSelection,
  type Query,
} from '@linecard/client/contract/query';
import type { Table } from '../store/tables.ts';
import { seal, unseal } from './cursor.ts';
import { type Reading, type ReadingParts, readingOf, readingParts } from './reading.ts';

/** Tells tokens from cursors, which the same key seals. */
const KIND = 'changes';

/** Behind which entry of the log, or, in a walk over the whole list, behind which id. */
export type ChangePosition = readonly [sequence: number, id: number] | number;

export interface ChangeToken extends Reading {
  /** Absent where everything up to `base` was read, and nothing else. */
  readonly place?: ChangePosition | undefined;
}

/** The filters and the search of a query. */
export type Matching = Pick<Query, 'filters' | 'q'>;

/** What a token is good for. */
export interface TokenScope {
  readonly account_id: string;
  readonly list: string;
  readonly selection: string;
}

/** As a query string, without an order. */
function selectionText(query: Matching & Pick<Query, 'fields'>): string {
  return formatSelection({ ...query, sort_by: DEFAULT_SORT, sort_order: 'asc' });
}

export function tokenScope(table: Table, account_id: string, { filters, q }: Matching): TokenScope {
  const matching: { filters: readonly AppliedFilter[]; q?: string } =
    q === undefined ? { filters } : { filters, q };
  return { account_id, list: table.list.name, selection: selectionText(matching) };
}

const partsOf = ({ account_id, list, selection }: TokenScope) => [KIND, account_id, list, selection];

export function writeToken(cursorKey: string, scope: TokenScope, token: ChangeToken): string {
  const { place } = token;
  const payload = [...readingParts(token), ...(place === undefined ? [] : [place])];
  return seal(cursorKey, partsOf(scope), JSON.stringify(payload));
}

/** @throws {Problem} `invalid-cursor` */
export function readToken(cursorKey: string, scope: TokenScope, text: string): ChangeToken {
  const payload = unseal(cursorKey, partsOf(scope), text);
  if (payload === undefined) {
    throw new Problem(
      'invalid-cursor',
      'The token was altered, or belongs to other filters, another list or another account. Start again without since.',
    );
  }
  const [base, seen, mark, place] = JSON.parse(payload) as [...ReadingParts, ChangePosition?];
  return { ...readingOf([base, seen, mark]), place };
}

/** The query string that leads from a list to what changes in it from a reading on. */
export function monitorOf(
  cursorKey: string,
  table: Table,
  account_id: string,
  query: Matching & Pick<Query, 'fields'>,
  reading: Reading,
): string {
  const since = `since=${writeToken(cursorKey, tokenScope(table, account_id, query), reading)}`;
  const { filters, q, fields } = query;
  const selection = selectionText({
    filters,
    ...(q === undefined ? {} : { q }),
    ...(fields === undefined ? {} : { fields }),
  });
  return selection === '' ? since : `${selection}&${since}`;
}
