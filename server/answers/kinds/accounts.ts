// The accounts directly below one (docs/generated/api.md, "Accounts below accounts").

import { accounts } from '@linecard/client/contract/accounts';
import { fold } from '@linecard/client/contract/fold';
import {
  type AccountRow,
  belowStatement,
  countsBelowStatement,
  listedStatement,
  namesBelowStatement,
} from '../../store/account-tree.ts';
import { mustNameAccount } from '../../store/callers.ts';
import { revisionStatement } from '../../store/heads.ts';
import type { ReadOnlyStore } from '../../store/store.ts';
import { type Answer, jsonAnswer, pageLink } from '../answer.ts';
import type { Engine } from '../engine.ts';
import { type AccountQuestion, knownRow, visibleLists } from '../question.ts';

/** Of the accounts that a token names: the answer is not of one of them. */
const NO_REVISION = '';

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

async function readNamed(
  store: ReadOnlyStore,
  { query }: AccountQuestion,
  ids: readonly string[],
): Promise<Found> {
  const { page, page_size, q } = query;
  // Each is read by itself: no statement sees rows of two accounts.
  const found = await Promise.all(ids.map(async (id) => store.read(listedStatement(id))));
  const rows = found.flatMap(([of]) => of as AccountRow[]);
  const wanted = fold(q ?? '');
  const matching = rows.filter(([id, name]) => [id, name].some((text) => fold(text).includes(wanted)));
  const sorted = matching.toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const first = (page - 1) * page_size;
  return { revision: NO_REVISION, total: sorted.length, rows: sorted.slice(first, first + page_size) };
}

/** How many accounts are directly below each of these. */
async function countsOf(
  store: ReadOnlyStore,
  rows: readonly AccountRow[],
): Promise<ReadonlyMap<string, number>> {
  if (rows.length === 0) return new Map();
  const ids = rows.map(([id]) => id);
  const [counts] = await store.read(countsBelowStatement(store.dialect, ids));
  return new Map(counts.map(([id, count]) => [String(id), Number(count)]));
}

function find(store: ReadOnlyStore, question: AccountQuestion): Promise<Found> {
  const { owner, query } = question;
  const named = mustNameAccount(owner) ? owner.issued?.accounts : undefined;
  if (named !== undefined) return readNamed(store, question, named);
  return query.q === undefined ? readAll(store, question) : search(store, question, query.q);
}

/** @throws {Problem} `unauthenticated` if the account was deleted concurrently. */
export async function readAccounts(engine: Engine, question: AccountQuestion): Promise<Answer> {
  const { store, currency: usual, address } = engine;
  const { owner, query } = question;
  const { page, page_size, q } = query;
  const { charges } = owner.limits;
  const { revision, total, rows } = await find(store, question);
  const below = await countsOf(store, rows);
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
