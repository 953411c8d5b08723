// `linecard … get`: one item, one line per field, or as JSON.

import { MAX_INTEGER } from '@linecard/client/contract';
import type { List } from '@linecard/client/contract/list';
import { columnsNamed, fieldsParam } from './columns.ts';
import type { Connection } from './connect.ts';
import type { GivenOptions } from './options.ts';
import { WrongUsage } from './outcome.ts';
import { paintFor, print } from './print.ts';
import { forTerminal, rowsText } from './rows.ts';
import { sayNotes, Table } from './table.ts';

/** 2^53 - 1 has 16 digits. */
const ID = /^[1-9]\d{0,15}$/;

export function idFrom(list: List, args: readonly string[]): number {
  const [text = ''] = args;
  if (ID.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw new WrongUsage(`The id of a ${list.one} is an integer from 1 to ${MAX_INTEGER}, but was "${text}".`);
}

/**
 * @throws {WrongUsage}
 * @throws {Problem}
 */
export async function showItem(
  list: List,
  connection: () => Promise<Connection>,
  {
    id,
    given,
    output,
    signal,
  }: { id: number; given: GivenOptions; output: 'table' | 'json'; signal: AbortSignal },
): Promise<void> {
  const named = given.get('columns');
  const columns = named === undefined ? Object.keys(list.fields) : columnsNamed(list, named);
  const connected = await connection();
  const [item, unit] = await Promise.all([
    connected.items.get(id, fieldsParam(list, columns), { signal }),
    output === 'table' ? connected.currency(signal) : undefined,
  ]);
  if (output === 'json') {
    async function* one() {
      yield item;
    }
    return print(forTerminal('ndjson', rowsText('ndjson', list, columns, one())));
  }
  const table = new Table(list, [item], { columns, isBlocks: true, paint: paintFor(process.stdout) });
  await print([table.line(item).replace(/\n\n$/, '\n')]);
  sayNotes({ table, currency: unit });
}
