// `linecard activity`: what happened to the items of the account, newest first.

import type { ActivityEntry } from '@linecard/client';
import { localTime } from '@linecard/client/agent/times';
import type { ListParams } from '@linecard/client/client/any-list';
import { activity } from '@linecard/client/contract/activity';
import type { Item } from '@linecard/client/contract/csv';
import type { List } from '@linecard/client/contract/list';
import { connect } from './connect.ts';
import { printTable } from './list.ts';
import type { GivenOptions } from './options.ts';
import { print } from './print.ts';
import { forTerminal, type Output, rowsText } from './rows.ts';

/** An entry as a row of a table: its ids are one text. */
const ROWS: List = {
  ...activity,
  fields: { ...activity.fields, ids: { ...activity.fields.ids, kind: 'text' } },
};

type Changed = ActivityEntry['items'][number];
type Value = NonNullable<Changed['from']>[string];

/** What a flag became is what its event is called. */
const shown = (value: Value | undefined) =>
  typeof value === 'boolean' ? undefined : value === '' ? '-' : value;

/** An id, and what its fields were and became: `501 (monthly 2.25 → 2.75)`. */
function itemText({ id, from = {}, to = {} }: Changed): string {
  const changes = Object.entries(from).flatMap(([name, value]) => {
    const [old, now] = [shown(value), shown(to[name])];
    return old === undefined || now === undefined ? [] : [`${name} ${old} → ${now}`];
  });
  return changes.length === 0 ? String(id) : `${id} (${changes.join(', ')})`;
}

function rowOf({ at, list, event, count, items }: ActivityEntry): Item {
  const more = count > items.length && items.length > 0 ? ', …' : '';
  return { at, list, event, count, ids: items.map(itemText).join(', ') + more };
}

/** @throws {Problem} */
export async function showActivity(
  params: ListParams,
  given: GivenOptions,
  output: Exclude<Output, 'csv'>,
  signal: AbortSignal,
): Promise<void> {
  const { client } = await connect(given);
  const page = await client.activity(params, { signal });
  async function* rows(): AsyncGenerator<Item, void, void> {
    for await (const entry of page) yield rowOf(entry);
  }
  if (output !== 'table') {
    // JSON takes the ids as they are.
    const items = page as AsyncIterable<object> as AsyncIterable<Item>;
    return print(forTerminal(output, rowsText(output, ROWS, undefined, items)));
  }
  const coverage = `Complete since ${localTime(page.since)}.`;
  await printTable(ROWS, { rows: rows(), coverage });
}
