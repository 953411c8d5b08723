// The tree of accounts (docs/generated/api.md, "Accounts below accounts"): the line from an account upwards,
// the accounts directly below one, and all of them for an operator.
//
// Why a read for each level: on Citus each account is in a shard of its own, and with row security a
// statement sees one account. The line is cached, and hardly ever longer than two or three.

import { Values } from '../conditions.ts';
import type { Dialect } from '../dialects.ts';
import { type Owner, ofAccount, type Statement } from '../sql.ts';
import type { ReadOnlyStore } from '../store.ts';
import { tables } from '../tables.ts';
import { MAX_ACCOUNT_LEVELS } from './accounts.ts';

/** An account that is there and enabled, and the accounts that it is below, whether enabled or not. */
export interface Line {
  /** Absent if it may have changed since. */
  readonly revision: string | undefined;
  /** The parent first. */
  readonly above: readonly string[];
}

type Row = [parent_id: string | null, revision: string, disabled_at: string | null];

async function readOne(store: ReadOnlyStore, id: string): Promise<Row | undefined> {
  const text = 'select id, parent_id, revision, disabled_at from accounts where id = $1';
  const [[row]] = await store.read(ofAccount(id, text));
  return row as Row | undefined;
}

/** The line of an account; `undefined` if it is unknown or disabled. */
export async function findLine(store: ReadOnlyStore, id: string): Promise<Line | undefined> {
  const own = await readOne(store, id);
  if (own === undefined) return undefined;
  const [, revision, disabled_at] = own;
  if (disabled_at !== null) return undefined;
  const above: string[] = [];
  for (let [parent_id] = own; parent_id !== null && above.length < MAX_ACCOUNT_LEVELS - 1; ) {
    above.push(parent_id);
    [parent_id] = (await readOne(store, parent_id)) ?? [null];
  }
  return { revision, above };
}

const LISTS = Object.keys(tables);
/** Ids of accounts contain no control characters. */
const SEPARATOR = '\n';
const LISTED = 'disabled_at is null';
/** Of an `AccountRow`. */
const COLUMNS = ['id', 'name', 'currency', 'coalesce(updated_at, created_at)', ...LISTS].join(', ');

const below = (id: string): Owner => ({ kind: 'parent_id', value: id });

/** An account with how many items each list has, in the order of the contract. */
export type AccountRow = readonly [
  id: string,
  name: string,
  currency: string | null,
  updated_at: string,
  ...totals: number[],
];

/** The accounts directly below one by id, all of them or those of some ids, as `AccountRow` each. */
export function belowStatement(
  dialect: Dialect,
  id: string,
  which: { readonly ids: readonly string[] } | { readonly limit: number; readonly offset: number },
): Statement {
  const values = new Values();
  const all = `select parent_id, ${COLUMNS} from accounts where parent_id = ${values.bind(id)} and ${LISTED}`;
  const some =
    'ids' in which
      ? `and ${dialect.among('id', values.bind(which.ids), 'text')} order by id`
      : `order by id limit ${dialect.limit(values.bind(which.limit))} offset ${values.bind(which.offset)}`;
  return { text: `${all} ${some}`, values: values.list, owner: below(id) };
}

/** An account as `AccountRow`; none if it is unknown or disabled. */
export function listedStatement(id: string): Statement {
  return ofAccount(id, `select id, ${COLUMNS} from accounts where id = $1 and ${LISTED}`);
}

/** The accounts directly below one by id, `[id, name]` each. */
export function namesBelowStatement(id: string): Statement {
  const text = `select parent_id, id, name from accounts where parent_id = $1 and ${LISTED} order by id`;
  return { text, values: [id], owner: below(id) };
}

/**
 * How many accounts are directly below each of these, `[id, count]` each; none for 0. They are one statement,
 * so that the row guard sees the ids together.
 * @param which counts only these; all if absent
 */
export function countsBelowStatement(
  dialect: Dialect,
  ids: readonly string[],
  which?: readonly string[] | null,
): Statement {
  const owner = below(ids.join(SEPARATOR));
  const some = which ? ` and ${dialect.among('id', '$3', 'text')}` : '';
  const text = `select cast($1 as text), parent_id, count(*) from accounts
    where ${dialect.among('parent_id', '$2', 'text')} and ${LISTED}${some} group by parent_id`;
  return { text, values: [owner.value, ids, ...(which ? [which] : [])], owner };
}

/** A statement about every account, for the token of an operator that reads all. */
function ofEvery(token_id: string, columns: string, rest: (values: Values) => string): Statement {
  const values = new Values();
  const text = `select cast(${values.bind(token_id)} as text), ${columns} from accounts where ${LISTED} ${rest(values)}`;
  return { text, values: values.list, owner: { kind: 'operator_id', value: token_id } };
}

/** How many accounts there are. */
export const countEveryStatement = (token_id: string): Statement => ofEvery(token_id, 'count(*)', () => '');

/** Accounts by id, all of them or those of some ids, as `AccountRow` each. */
export const everyStatement = (
  dialect: Dialect,
  token_id: string,
  which: { readonly ids: readonly string[] } | { readonly limit: number; readonly offset: number },
): Statement =>
  ofEvery(token_id, COLUMNS, (values) =>
    'ids' in which
      ? `and ${dialect.among('id', values.bind(which.ids), 'text')} order by id`
      : `order by id limit ${dialect.limit(values.bind(which.limit))} offset ${values.bind(which.offset)}`,
  );

/** The next accounts after one by id, `[id, name]` each. */
export const namesAfterStatement = (
  dialect: Dialect,
  token_id: string,
  after: string,
  limit: number,
): Statement =>
  ofEvery(
    token_id,
    'id, name',
    (values) => `and id > ${values.bind(after)} order by id limit ${dialect.limit(values.bind(limit))}`,
  );
