// The declarations of the operator's own fields: one row a list, as JSON. Every process reads them again
// every few seconds, so a change is written with the revisions of all accounts that have items, in one
// transaction that no import overlaps.
//
// Why a slot rests: a process that has not noticed a removal reads the columns of the old field. So a slot is
// given again only when every process has noticed, and what it had is cleared then.

import { hash } from 'node:crypto';
import type { List, OwnField } from '@linecard/client/contract/list';
import { timestampOf } from '@linecard/client/contract/timestamp';
import type { ImportTransaction } from '../import-transaction.ts';
import { type EventOrigin, newId } from '../log/audit.ts';
import { rebuildStatements } from '../log/change-log.ts';
import { slotColumns } from '../own-columns.ts';
import { insertRows, type Statement, sql, statement } from '../sql.ts';
import type { LoadOptions, Store } from '../store.ts';
import { type ListName, type OwnFields, type Table, tables, tableWith } from '../tables.ts';

/** Every process has read the declarations again by then, so how long a slot rests. */
const NOTICED_BY_ALL_MS = 30_000;
const REVISION_CHARACTERS = 12;

/** A declaration as it is stored; one that was removed says which slot rests, and since when. */
export interface Declaration extends OwnField {
  readonly created_at: string;
  readonly removed_at: string | null;
}

/** What is declared, by list; a list without own fields is absent. */
export type Declared = Readonly<Partial<Record<ListName, OwnFields>>>;

export const OWN_FIELDS = { name: 'own_fields', columns: ['list', 'declared'] } as const;
export const FIELD_EVENTS = {
  name: 'field_events',
  columns: ['id', 'at', 'event', 'list', 'name', 'origin', 'actor'],
} as const;

const digestOf = (text: string) => hash('sha256', text, 'base64url').slice(0, REVISION_CHARACTERS);
const parsed = (text: unknown) => JSON.parse(String(text)) as Declaration[];
const isLive = ({ removed_at }: Declaration) => removed_at === null;

export const declarationsStatement: Statement = statement(
  'select list, declared from own_fields order by list',
);

/** What is declared, by the rows of `declarationsStatement`. */
export function declaredOf(rows: readonly (readonly unknown[])[]): Declared {
  const entries = rows.flatMap(([list, text]) => {
    const fields = parsed(text).filter(isLive);
    const shape = digestOf(JSON.stringify(fields.map(({ name, created_at }) => [name, created_at])));
    const own: OwnFields = { revision: digestOf(String(text)), shape, fields };
    return fields.length > 0 && String(list) in tables ? [[String(list), own]] : [];
  });
  return Object.fromEntries(entries) as Declared;
}

/** Every list with the fields that are declared of it. */
export const listsWith = (declared: Declared): List[] =>
  (Object.keys(tables) as ListName[]).map((name) => tableWith(name, declared[name]).list);

export async function readDeclared(store: Pick<Store, 'read'>): Promise<Declared> {
  const [rows] = await store.read(declarationsStatement);
  return declaredOf(rows);
}

/** The table of a list with what is declared of it now. */
export async function declaredTable(store: Pick<Store, 'read'>, name: ListName): Promise<Table> {
  return tableWith(name, (await readDeclared(store))[name]);
}

export const declaredStatement = (list: string): Statement =>
  sql`select declared from own_fields where list = ${list}`;

/**
 * By when every process has noticed what is declared of a list, in milliseconds since 1970, by the rows of
 * `declaredStatement`; `undefined` if all have. A time further ahead of the clock is none.
 */
export function settlesAt([row]: readonly (readonly unknown[])[], now = Date.now()): number | undefined {
  const times = row === undefined ? [] : parsed(row[0]).flatMap((one) => [one.created_at, one.removed_at]);
  const recent = times
    .map((at) => Date.parse(String(at)))
    .filter((at) => Math.abs(now - at) < NOTICED_BY_ALL_MS);
  return recent.length === 0 ? undefined : Math.max(...recent) + NOTICED_BY_ALL_MS;
}

/** The declarations of a list that are not removed, in their order. */
export async function declarationsOf(store: Pick<Store, 'read'>, list: ListName): Promise<Declaration[]> {
  const [[row]] = await store.read(declaredStatement(list));
  return row === undefined ? [] : parsed(row[0]).filter(isLive);
}

/** What a change makes of the declarations of a list; `undefined` for nothing. */
export interface DeclarationChange {
  readonly declared: readonly Declaration[];
  readonly event: 'added' | 'changed' | 'removed';
  readonly name: string;
  /** The slot that is given to a field: what it had is cleared. */
  readonly given?: number;
}

/** The slot that has rested longest, or the moment at which one will have. */
export function freeSlot(
  all: readonly Declaration[],
  slots: number,
  now: number,
): { readonly slot: number } | { readonly restsUntil: number } {
  const used = new Map(all.map((one) => [one.slot, one]));
  const never = Array.from({ length: slots }, (_, i) => i + 1).find((slot) => !used.has(slot));
  if (never !== undefined) return { slot: never };
  const [oldest] = all
    .filter((one) => one.removed_at !== null)
    .toSorted((a, b) => String(a.removed_at).localeCompare(String(b.removed_at)));
  const until = Date.parse(String(oldest?.removed_at)) + NOTICED_BY_ALL_MS;
  return oldest !== undefined && until <= now ? { slot: oldest.slot } : { restsUntil: until };
}

/** Empties the columns of a slot, where they have anything. */
function clearStatement(list: ListName, slot: number): Statement {
  const columns = slotColumns(slot);
  const set = columns.map((column) => `${column} = null`).join(', ');
  const filled = columns.map((column) => `${column} is not null`).join(' or ');
  return statement(`update ${list} set ${set} where ${filled}`);
}

/** The accounts with items get another revision, and their followers read the list again. */
async function rebuild(transaction: ImportTransaction, list: ListName): Promise<void> {
  const [accounts] = await transaction.run(statement(`select id from accounts where ${list} > 0`));
  const ids = (accounts?.rows ?? []).map(([id]) => String(id));
  if (ids.length === 0) return;
  await transaction.run(...rebuildStatements(transaction.dialect, list, timestampOf(), ids));
}

/**
 * Changes the declarations of a list, once no import runs.
 * @param change is given all declarations, also those that were removed.
 * @throws {StoreBusy} when an import does not end in time; and what `change` throws.
 */
export async function changeDeclarations(
  store: Pick<Store, 'beginImport'>,
  list: ListName,
  { origin, actor }: EventOrigin,
  options: LoadOptions,
  change: (all: readonly Declaration[]) => DeclarationChange | undefined,
): Promise<void> {
  const transaction = await store.beginImport(options);
  try {
    const [stored] = await transaction.run(declaredStatement(list));
    const [row] = stored?.rows ?? [];
    const made = change(row === undefined ? [] : parsed(row[0]));
    if (made === undefined) return await transaction.rollback();
    const { declared, event, name, given } = made;
    const text = JSON.stringify(declared);
    await transaction.run(
      ...(given === undefined ? [] : [clearStatement(list, given)]),
      sql`insert into own_fields (list, declared) values (${list}, ${text})
        on conflict (list) do update set declared = excluded.declared`,
      insertRows(FIELD_EVENTS.name, FIELD_EVENTS.columns, [
        [newId(), timestampOf(), event, list, name, origin, actor],
      ]),
    );
    if (event !== 'changed') await rebuild(transaction, list);
    await transaction.commit(1);
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
}

/** How many items have a value of a field. */
export async function countValues(
  store: Pick<Store, 'read'>,
  list: ListName,
  { slot }: Pick<OwnField, 'slot'>,
): Promise<number> {
  const filled = slotColumns(slot)
    .map((column) => `${column} is not null`)
    .join(' or ');
  const [[row]] = await store.read(statement(`select count(*) from ${list} where ${filled}`));
  return Number(row?.[0]);
}
