// Accounts as an operator sees them: one with what it has, a page of those that match, those below one.

import { fold } from '@linecard/client/contract/fold';
import { Values } from '../conditions.ts';
import { objectsOf, sql, statement } from '../sql.ts';
import type { Snapshot, Store } from '../store.ts';
import { type ListName, tables } from '../tables.ts';
import { ACCOUNT_COLUMNS, type Account } from './accounts.ts';

const LISTS = Object.keys(tables) as ListName[];
const COLUMNS = [...ACCOUNT_COLUMNS, ...LISTS] as const;
const SELECT = `select ${COLUMNS.join(', ')} from accounts`;

/** An account with how many items each of its lists has. */
export type CountedAccount = Account & Readonly<Record<ListName, number>>;

const countedOf = (rows: Parameters<typeof objectsOf>[1]): CountedAccount[] =>
  objectsOf<CountedAccount>(COLUMNS, rows).map((one) => ({
    ...one,
    ...(Object.fromEntries(LISTS.map((list) => [list, Number(one[list])])) as Record<ListName, number>),
  }));

export async function findAccount(
  store: Pick<Store, 'read'>,
  id: string,
): Promise<CountedAccount | undefined> {
  const [rows] = await store.read(statement(`${SELECT} where id = $1`, id));
  return countedOf(rows)[0];
}

export interface AccountChoice {
  /** Of these alone; of all if absent. */
  readonly accounts?: readonly string[] | undefined;
  /** Directly below this one; `null` for those that are below no other. */
  readonly parent?: string | null | undefined;
  /** A part of the id or the name. */
  readonly q?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Some of the accounts that match, by id, and how many there are. */
export async function accountPage(
  store: Store,
  choice: AccountChoice,
): Promise<{ readonly total: number; readonly accounts: readonly CountedAccount[] }> {
  const snapshot = await store.snapshot();
  try {
    return await pageIn(snapshot, store, choice);
  } finally {
    await snapshot.close();
  }
}

async function pageIn(snapshot: Snapshot, { dialect }: Store, choice: AccountChoice) {
  const { accounts, parent, q, limit, offset } = choice;
  const values = new Values();
  const conditions = [
    ...(accounts === undefined ? [] : [dialect.among('id', values.bind(accounts), 'text')]),
    ...(parent === null ? ['parent_id is null'] : []),
    ...(typeof parent === 'string' ? [`parent_id = ${values.bind(parent)}`] : []),
  ];
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
  if (q !== undefined) {
    const { total, ids } = await foundIn(snapshot, { where, values }, q, choice);
    const text = `${SELECT} where ${dialect.among('id', '$1', 'text')} order by id`;
    const [rows] = await snapshot.read({ text, values: [ids] });
    return { total, accounts: countedOf(rows) };
  }
  const bound = [...values.list];
  const range = `limit ${dialect.limit(values.bind(limit))} offset ${values.bind(offset)}`;
  const [counts, rows] = await snapshot.read(
    { text: `select count(*) from accounts${where}`, values: bound },
    { text: `${SELECT}${where} order by id ${range}`, values: values.list },
  );
  return { total: Number(counts[0]?.[0]), accounts: countedOf(rows) };
}

/** The ids of a page of those that have a text in id or name, folded, which no database does alike. */
async function foundIn(
  snapshot: Snapshot,
  { where, values }: { readonly where: string; readonly values: Values },
  q: string,
  { limit, offset }: AccountChoice,
): Promise<{ readonly total: number; readonly ids: readonly string[] }> {
  const text = `select id, name from accounts${where} order by id`;
  const wanted = fold(q);
  const ids: string[] = [];
  let total = 0;
  for await (const rows of snapshot.rows({ text, values: values.list })) {
    for (const [id, name] of rows) {
      if (!fold(String(id)).includes(wanted) && !fold(String(name)).includes(wanted)) continue;
      if (total >= offset && ids.length < limit) ids.push(String(id));
      total += 1;
    }
  }
  return { total, ids };
}

/** What an account has: the items of each list, of every category, its tokens and its webhooks. */
export interface Belongings {
  readonly items: Readonly<Record<string, number>>;
  readonly tokens: number;
  readonly webhooks: number;
}

/** What is deleted with an account; `undefined` when there is no such account. */
export async function belongingsOf(store: Store, id: string): Promise<Belongings | undefined> {
  const names = Object.keys(tables);
  const counted = [...names, 'tokens', 'webhooks'].map((name) =>
    statement(`select count(*) from ${name} where account_id = $1`, id),
  );
  const [found, ...counts] = await store.read(sql`select id from accounts where id = ${id}`, ...counted);
  if (found?.length !== 1) return undefined;
  const numbers = counts.map((rows) => Number(rows[0]?.[0]));
  const [tokens = 0, webhooks = 0] = numbers.slice(names.length);
  return { items: Object.fromEntries(names.map((name, i) => [name, numbers[i] ?? 0])), tokens, webhooks };
}

/** The first accounts that are directly below one, by id. */
export async function accountsBelow(store: Store, id: string, limit: number): Promise<string[]> {
  const [rows] = await store.read(
    sql`select id from accounts where parent_id = ${id} order by id limit ${limit}`,
  );
  return rows.map(([below]) => String(below));
}
