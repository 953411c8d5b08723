// Tokens of changes: what a copy was read from, and its position in the log or the list. They are sealed like
// cursors: a token that was altered, or belongs to another account, list or filter, is refused. That of an
// account with another id is good if its history has what was read, as the account was renamed then: no two
// accounts have a revision in common.

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

/** Distinguishes tokens from cursors, which the same key seals. */
const KIND = 'changes';

/** After which entry of the log, or, in a walk over the complete list, after which id. */
export type ChangePosition = readonly [sequence: number, id: number] | number;

export interface ChangeToken extends Reading {
  /** Absent if everything up to `base` was read, and nothing more. */
  readonly position?: ChangePosition | undefined;
  /** The account had another id, or it is another account. */
  readonly isOfOtherId?: boolean;
  /** The items had other fields: a copy of them cannot be brought up to date. */
  readonly hadOtherFields?: boolean;
  /** The items may have been read where they had other fields: from then on, that counts as so. */
  readonly settlesAt?: number | undefined;
}

export type Matching = Pick<Query, 'filters' | 'q'>;

export interface TokenScope {
  readonly account_id: string;
  readonly list: string;
  readonly selection: string;
  /** The shape of its own fields, if it has any. */
  readonly shape?: string | undefined;
}

/** As a query string, without an order. */
function selectionText(query: Matching & Pick<Query, 'fields'>): string {
  return formatSelection({ ...query, sort_by: DEFAULT_SORT, sort_order: 'asc' });
}

export function tokenScope(table: Table, account_id: string, { filters, q }: Matching): TokenScope {
  const matching: { filters: readonly AppliedFilter[]; q?: string } =
    q === undefined ? { filters } : { filters, q };
  return { account_id, list: table.name, selection: selectionText(matching), shape: table.own?.shape };
}

type StoredParts = [
  ...ReadingParts,
  position?: ChangePosition | null,
  shape?: string | null,
  of?: string,
  settlesAt?: number,
];

const partsOf = ({ list, selection }: TokenScope) => [KIND, list, selection];

export function writeToken(cursorKey: string, scope: TokenScope, token: ChangeToken): string {
  const { position = null, settlesAt } = token;
  const { shape = null, account_id } = scope;
  const parts: StoredParts = [...readingParts(token), position, shape, account_id];
  const payload = settlesAt === undefined ? parts : [...parts, settlesAt];
  return seal(cursorKey, partsOf(scope), JSON.stringify(payload));
}

export function invalidToken(): Problem {
  return new Problem(
    'invalid-cursor',
    'The token was altered, or belongs to other filters, another list or another account. Start again without since.',
  );
}

/** @throws {Problem} `invalid-cursor` */
export function readToken(cursorKey: string, scope: TokenScope, text: string, now = Date.now()): ChangeToken {
  const { account_id } = scope;
  const [kind, ...parts] = partsOf(scope);
  // Those of older versions are sealed with the id of the account.
  const older = [String(kind), account_id, ...parts];
  const payload = unseal(cursorKey, partsOf(scope), text) ?? unseal(cursorKey, older, text);
  if (payload === undefined) throw invalidToken();
  const [base, seen, mark, position, shape, of = account_id, settlesAt] = JSON.parse(payload) as StoredParts;
  const reading = readingOf([base, seen, mark]);
  const hadOtherFields = (shape ?? undefined) !== scope.shape || (settlesAt ?? now) < now;
  const isOfOtherId = of !== account_id;
  return { ...reading, position: position ?? undefined, isOfOtherId, hadOtherFields, settlesAt };
}

/** The query string that leads from a list to what has changed in it since a reading. */
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
