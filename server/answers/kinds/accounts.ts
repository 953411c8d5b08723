// The accounts directly below one (docs/generated/api.md, "Accounts below accounts"), or those that the token
// of an operator is for.

import { setImmediate } from 'node:timers/promises';
import { accounts } from '@linecard/client/contract/accounts';
import { fold } from '@linecard/client/contract/fold';
import type { Query } from '@linecard/client/contract/query';
import {
  type AccountRow,
  belowStatement,
  countEveryStatement,
  countsBelowStatement,
  everyStatement,
  listedStatement,
  namesAfterStatement,
  namesBelowStatement,
} from '../../store/access/account-tree.ts';
import { mustNameAccount } from '../../store/access/callers.ts';
import { revisionStatement } from '../../store/lists/heads.ts';
import type { ReadOnlyStore, ResultRow } from '../../store/store.ts';
import { type Answer, jsonAnswer, pageLink } from '../answer.ts';
import type { Engine } from '../engine.ts';
import { type AccountQuestion, knownRow, visibleLists } from '../question.ts';

/** Of the accounts that a token is for: the answer is not of one of them. */
const NO_REVISION = '';
/** These are read and compared within milliseconds. */
const NAMES_AT_ONCE = 2_000;

interface Found {
  readonly revision: string;
  readonly total: number;
  readonly rows: readonly AccountRow[];
}

/** A page of all of them, from one snapshot. */
async function readAll(store: ReadOnlyStore, { owner, query }: AccountQuestion): Promise<Found> {
  const { dialect } = store;
  const { page, page_size } = query;
  const offset = Math.min((page - 1) * page_size, Number.MAX_SAFE_INTEGER);
  const [[account], [count], rows] = await store.read(
    revisionStatement(owner.account_id),
    countsBelowStatement(dialect, [owner.account_id]),
    belowStatement(dialect, owner.account_id, { limit: page_size, offset }),
  );
  const [revision] = knownRow(account);
  return {
    revision: revision as string,
    total: Number(count?.[1] ?? 0),
    rows: rows as AccountRow[],
  };
}

/** A page of those that a text is in. No database folds text as the program does, so all names are read. */
async function search(store: ReadOnlyStore, { owner, query }: AccountQuestion, q: string): Promise<Found> {
  const { dialect } = store;
  const { page, page_size } = query;
  const [[account], names] = await store.read(
    revisionStatement(owner.account_id),
    namesBelowStatement(owner.account_id),
  );
  const [revision] = knownRow(account);
  const wanted = fold(q);
  const matching = names.filter((texts) => texts.some((text) => fold(String(text)).includes(wanted)));
  const first = (page - 1) * page_size;
  const ids = matching.slice(first, first + page_size).map(([id]) => String(id));
  const [rows] =
    ids.length === 0 ? [[]] : await store.read(belowStatement(dialect, owner.account_id, { ids }));
  return { revision: revision as string, total: matching.length, rows: rows as AccountRow[] };
}

/** A page of those of these rows that match. */
function pageAmong(rows: readonly AccountRow[], { page, page_size, q }: Query, revision: string): Found {
  const wanted = fold(q ?? '');
  const matching = rows.filter(([id, name]) => [id, name].some((text) => fold(text).includes(wanted)));
  const sorted = matching.toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const first = (page - 1) * page_size;
  return { revision, total: sorted.length, rows: sorted.slice(first, first + page_size) };
}

async function readNamed(
  store: ReadOnlyStore,
  { query }: AccountQuestion,
  ids: readonly string[],
): Promise<Found> {
  // Each is read by itself: no statement sees rows of two accounts.
  const found = await Promise.all(ids.map(async (id) => store.read(listedStatement(id))));
  return pageAmong(
    found.flatMap(([of]) => of as AccountRow[]),
    query,
    NO_REVISION,
  );
}

/** Of those directly below one, these alone. */
async function readNamedBelow(
  store: ReadOnlyStore,
  { owner, query }: AccountQuestion,
  ids: readonly string[],
): Promise<Found> {
  const [[account], rows] = await store.read(
    revisionStatement(owner.account_id),
    belowStatement(store.dialect, owner.account_id, { ids }),
  );
  return pageAmong(rows as AccountRow[], query, knownRow(account)[0] as string);
}

/** A page of every account, for the token of an operator that reads all. */
async function readEvery(store: ReadOnlyStore, { owner, query }: AccountQuestion): Promise<Found> {
  const { dialect } = store;
  const { page, page_size } = query;
  const offset = Math.min((page - 1) * page_size, Number.MAX_SAFE_INTEGER);
  const [[count], rows] = await store.read(
    countEveryStatement(owner.token_id),
    everyStatement(dialect, owner.token_id, { limit: page_size, offset }),
  );
  return { revision: NO_REVISION, total: Number(count?.[0]), rows: rows as AccountRow[] };
}

/** A page of those of every account that a text is in; the names are read some at a time. */
async function searchEvery(
  store: ReadOnlyStore,
  { owner, query }: AccountQuestion,
  q: string,
): Promise<Found> {
  const { dialect } = store;
  const { token_id } = owner;
  const { page, page_size } = query;
  const wanted = fold(q);
  const ids: string[] = [];
  let total = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const [names]: ResultRow[][] = await store.read(
      namesAfterStatement(dialect, token_id, after, NAMES_AT_ONCE),
    );
    for (const texts of names) {
      if (!texts.some((text) => fold(String(text)).includes(wanted))) continue;
      if (total >= (page - 1) * page_size && ids.length < page_size) ids.push(String(texts[0]));
      total += 1;
    }
    after = names.length < NAMES_AT_ONCE ? undefined : String(names.at(-1)?.[0]);
    await setImmediate();
  }
  const [rows] = ids.length === 0 ? [[]] : await store.read(everyStatement(dialect, token_id, { ids }));
  return { revision: NO_REVISION, total, rows: rows as AccountRow[] };
}

/** How many accounts are directly below each of these, of those that the caller reads. */
async function countsOf(
  store: ReadOnlyStore,
  rows: readonly AccountRow[],
  { operator }: AccountQuestion['owner'],
): Promise<ReadonlyMap<string, number>> {
  if (rows.length === 0) return new Map();
  const ids = rows.map(([id]) => id);
  const [counts] = await store.read(countsBelowStatement(store.dialect, ids, operator?.accounts));
  return new Map(counts.map(([id, count]) => [String(id), Number(count)]));
}

function find(store: ReadOnlyStore, question: AccountQuestion): Promise<Found> {
  const { owner, query } = question;
  const { issued, operator } = owner;
  const { q } = query;
  if (mustNameAccount(owner)) {
    if (operator?.accounts !== null)
      return readNamed(store, question, operator?.accounts ?? issued?.accounts ?? []);
    return q === undefined ? readEvery(store, question) : searchEvery(store, question, q);
  }
  if (operator?.accounts) return readNamedBelow(store, question, operator.accounts);
  return q === undefined ? readAll(store, question) : search(store, question, q);
}

/** @throws {Problem} `unauthenticated` if the account was deleted concurrently. */
export async function readAccounts(engine: Engine, question: AccountQuestion): Promise<Answer> {
  const { store, currency: usual, address } = engine;
  const { owner, query } = question;
  const { page, page_size, q } = query;
  const { charges } = owner.limits;
  const { revision, total, rows } = await find(store, question);
  const below = await countsOf(store, rows, owner);
  const lists = visibleLists(owner);
  const data = rows.map(([id, name, currency, updated_at, ...totals]) => ({
    id,
    name,
    currency: charges ? (currency ?? usual) : null,
    ...Object.fromEntries(lists.map(([list, isVisible], i) => [list, isVisible ? Number(totals[i]) : null])),
    accounts: below.get(id) ?? 0,
    updated_at,
  }));
  const total_pages = Math.ceil(total / page_size);
  const links = {
    page,
    page_size,
    total_pages,
    selection: q === undefined ? '' : `q=${encodeURIComponent(q)}`,
    next: page < total_pages ? `page=${page + 1}` : undefined,
    monitor: undefined,
  };
  const link = pageLink(address + accounts.path, links);
  const body = JSON.stringify({ data, page, page_size, total, total_pages });
  // An account that changes does not renew the revision of the one above it.
  return jsonAnswer(question, revision, body, { isOfBody: true, headers: link === '' ? {} : { link } });
}
