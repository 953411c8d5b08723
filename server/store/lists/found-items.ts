// Which items a number, an id or a title is of, or was of within the log of changes. No index over all
// accounts has numbers, so a list is scanned: on SQLite some rows at a time, so that its process goes on
// answering.

import { setImmediate } from 'node:timers/promises';
import { digitsWanted, nationalDigits, numberDigits, plainNumber } from '@linecard/client/contract/digits';
import { fold } from '@linecard/client/contract/fold';
import { Values } from '../conditions.ts';
import { importedItemColumn } from '../item-column.ts';
import { changesTable } from '../log/change-log.ts';
import type { Snapshot, Store } from '../store.ts';
import { type StoredItem, searchColumns, type Table } from '../tables.ts';

/** More is no answer to the question which account has something. */
export const MAX_FOUND = 1_000;
const ROWS_AT_ONCE = 20_000;
const ID = /^[1-9]\d{0,15}$/;
/** What folding leaves as it is: most numbers. */
const PLAIN = /^[+\d]*$/;

/** Where to look. */
export interface Finding {
  readonly snapshot: Snapshot;
  readonly store: Pick<Store, 'dialect' | 'isRemote' | 'read'>;
  readonly table: Table;
  /** All if absent. */
  readonly accounts: readonly string[] | undefined;
}

/** What an item has to be: one of these. */
interface Wanted {
  readonly id: number | undefined;
  readonly digits: string | undefined;
  /** The last digits of a number that was written as within its country. */
  readonly ending: string | undefined;
  readonly text: string;
}

function wantedBy(q: string): Wanted {
  const isNumber = digitsWanted(q) !== undefined;
  return {
    id: ID.test(q) && Number.isSafeInteger(Number(q)) ? Number(q) : undefined,
    digits: isNumber ? plainNumber(q) : undefined,
    ending: isNumber ? nationalDigits(q) : undefined,
    text: fold(q),
  };
}

/** A condition on whose rows they are. */
export function ofAccounts({ store, accounts }: Finding, values: Values, column = 'account_id'): string {
  return accounts === undefined ? 'true' : store.dialect.among(column, values.bind(accounts), 'text');
}

/** The condition of an item that is there. */
function conditionOf({ id, digits, ending, text }: Wanted, table: Table, values: Values): string {
  const [column] = searchColumns(table).digits;
  const conditions = [`${table.ordered(table.list.label).column} = ${values.bind(text)}`];
  if (id !== undefined) conditions.push(`id = ${values.bind(id)}`);
  if (column !== undefined && digits !== undefined) conditions.push(`${column} = ${values.bind(digits)}`);
  if (column !== undefined && ending !== undefined)
    conditions.push(`${column} like ${values.bind(`%${ending}`)}`);
  return `(${conditions.join(' or ')})`;
}

/** The ids after which, and up to which, rows are scanned together; the last range has no end. */
async function* ranges({
  snapshot,
  store,
  table,
}: Finding): AsyncGenerator<readonly [after: number, upTo: number]> {
  const text = `select id from ${table.name} where id > $1 order by id limit 1 offset ${ROWS_AT_ONCE - 1}`;
  for (let after = 0; ; ) {
    const [[row]] = store.isRemote ? [[]] : await snapshot.read({ text, values: [after] });
    const upTo = row === undefined ? Number.MAX_SAFE_INTEGER : Number(row[0]);
    yield [after, upTo];
    if (row === undefined) return;
    after = upTo;
    await setImmediate();
  }
}

/** The ids of items that are there. */
async function* idsThere(finding: Finding, wanted: Wanted): AsyncGenerator<number> {
  const { snapshot, table } = finding;
  for await (const [after, upTo] of ranges(finding)) {
    const values = new Values();
    const conditions = [
      conditionOf(wanted, table, values),
      ofAccounts(finding, values),
      `id > ${values.bind(after)} and id <= ${values.bind(upTo)}`,
    ];
    const text = `select id from ${table.name} where ${conditions.join(' and ')} limit ${MAX_FOUND + 1}`;
    const [rows] = await snapshot.read({ text, values: values.list });
    for (const [id] of rows) yield Number(id);
  }
}

/** Whether an item that was removed was that, by what people knew it by. */
function isLabel({ digits, ending, text }: Wanted, { list }: Table, label: string): boolean {
  if (digits !== undefined && list.searchDigits === list.label) {
    const own = numberDigits(label);
    if (own === digits || (ending !== undefined && own.endsWith(ending))) return true;
  }
  return PLAIN.test(label) ? label === text : fold(label) === text;
}

/** The ids of items that were removed from an account. */
async function* idsRemoved(finding: Finding, wanted: Wanted): AsyncGenerator<number> {
  const { snapshot, table } = finding;
  const values = new Values();
  const ofId = wanted.id === undefined ? '' : `or id = ${values.bind(wanted.id)}`;
  const text = `select id, label from ${changesTable(table.name)}
    where (label is not null ${ofId}) and ${ofAccounts(finding, values)}`;
  for await (const rows of snapshot.rows({ text, values: values.list })) {
    for (const [id, label] of rows)
      if (Number(id) === wanted.id || (label !== null && isLabel(wanted, table, String(label))))
        yield Number(id);
    await setImmediate();
  }
}

/** The ids of items that are or were that, those that are there first; more than `MAX_FOUND` are cut off. */
export async function findIds(finding: Finding, q: string): Promise<readonly number[]> {
  const wanted = wantedBy(q);
  const [there, removed] = [new Set<number>(), new Set<number>()];
  for await (const id of idsThere(finding, wanted)) {
    there.add(id);
    if (there.size > MAX_FOUND) break;
  }
  for await (const id of idsRemoved(finding, wanted)) {
    if (there.size + removed.size > MAX_FOUND) break;
    if (!there.has(id)) removed.add(id);
  }
  const byId = (a: number, b: number) => a - b;
  return [...[...there].toSorted(byId), ...[...removed].toSorted(byId)];
}

export interface FoundItem {
  readonly account_id: string;
  readonly item: StoredItem;
}

/** The items of these ids that are there. */
export async function itemsOf(
  finding: Finding,
  ids: readonly number[],
): Promise<ReadonlyMap<number, FoundItem>> {
  const { snapshot, store, table } = finding;
  const values = new Values();
  const { own } = table;
  const column = importedItemColumn(store.dialect, {
    ofAccount: false,
    hidden: [],
    ...(own !== undefined && { own }),
  });
  const text = `select id, account_id, ${column} from ${table.name}
    where ${store.dialect.among('id', values.bind(ids), 'bigint')} and ${ofAccounts(finding, values)}`;
  const [rows] = await snapshot.read({ text, values: values.list });
  return new Map(
    (rows as unknown[][]).map(([id, account_id, item]) => [
      Number(id),
      { account_id: String(account_id), item: item as StoredItem },
    ]),
  );
}
