// `linecard … get`: one item by its id, or those of a telephone number; one line per field, or as JSON.

import { currencyOf, listOf } from '@linecard/client/client/any-list';
import { type FoundByNumber, itemsByNumber, MAX_BY_NUMBER } from '@linecard/client/client/by-number';
import type { Client } from '@linecard/client/client/client';
import { MAX_INTEGER } from '@linecard/client/contract';
import type { Item } from '@linecard/client/contract/csv';
import { plainNumber } from '@linecard/client/contract/digits';
import type { List } from '@linecard/client/contract/list';
import { Problem } from '@linecard/client/contract/problems';
import { numberFault } from '@linecard/client/contract/telephone';
import { columnsNamed, fieldsParam } from './columns.ts';
import { connect, type ListCall } from './connect.ts';
import { wordOf } from './list-examples.ts';
import { Failed, WrongUsage } from './outcome.ts';
import { paintFor, print, say } from './print.ts';
import { forTerminal, rowsText } from './rows.ts';
import { sayNotes, Table } from './table.ts';

/** 2^53 - 1 has 16 digits. */
const ID = /^[1-9]\d{0,15}$/;

/** An item as it is named: by its id, by its telephone number, or by digits that may be either. */
export interface Named {
  readonly id: number | undefined;
  readonly number: string | undefined;
}

/** @throws {WrongUsage} */
export function namedBy(list: List, args: readonly string[]): Named {
  const text = args.join(' ');
  const id = ID.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
  const isNumber = list.searchDigits !== undefined && plainNumber(text) !== undefined;
  const why = isNumber ? numberFault(text) : undefined;
  const number = isNumber && why === undefined ? text : undefined;
  if (id !== undefined || number !== undefined) return { id, number };
  const or = list.searchDigits === undefined ? '' : ', or a telephone number such as +442079460018';
  throw new WrongUsage(
    `The id must be an integer from 1 to ${MAX_INTEGER}${or}, but was "${text}"${why === undefined ? '' : `: ${why}`}.`,
  );
}

/** @throws {Failed} where there is none */
async function found(
  list: List,
  client: Client,
  { id, number }: Named,
  fields: ReturnType<typeof fieldsParam>,
  signal: AbortSignal,
): Promise<FoundByNumber<Item>> {
  try {
    if (id !== undefined)
      return { items: [await listOf(client, list).get(id, fields, { signal })], isAmbiguous: false };
  } catch (error) {
    const isNumber = number !== undefined && error instanceof Problem && error.code === 'not-found';
    if (!isNumber) throw error;
  }
  const matches = await itemsByNumber(
    (params, call) => listOf(client, list).list(params, call),
    list,
    String(number),
    fields,
    MAX_BY_NUMBER,
    {
      signal,
    },
  );
  if (matches.items.length > 0) return matches;
  const what = id === undefined ? `the number "${number}"` : `the id or the number ${number}`;
  throw new Failed(
    `No ${list.one} of this account has ${what}. Look for a part of it with \`linecard ${wordOf(list)} list --q "${number}"\`.`,
  );
}

/**
 * @throws {WrongUsage}
 * @throws {Problem}
 */
export async function showItem(
  { list, given, signal }: ListCall,
  named: Named,
  output: 'table' | 'json',
): Promise<void> {
  const chosen = given.get('columns');
  const columns = chosen === undefined ? Object.keys(list.fields) : columnsNamed(list, chosen);
  const { client } = await connect(given);
  const [{ items, isAmbiguous }, unit] = await Promise.all([
    found(list, client, named, fieldsParam(list, columns), signal),
    output === 'table' ? currencyOf(client, signal) : undefined,
  ]);
  if (isAmbiguous)
    say(`Several numbers end with the digits of ${named.number}. Write its country code to name one.`);
  if (output === 'json') {
    return print(forTerminal('ndjson', rowsText('ndjson', list, columns, items)));
  }
  const table = new Table(list, items, { columns, isBlocks: true, paint: paintFor(process.stdout) });
  const blocks = items.map((item) => table.line(item)).join('');
  await print([blocks.replace(/\n\n$/, '\n')]);
  sayNotes(table, unit);
}
