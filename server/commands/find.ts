// `linecard-server find`: which account has or had a number, an id or a title, and what happened to it.

import { visible } from '@linecard/client/contract/printable';
import { Failed } from '../errors.ts';
import { type FoundItemView, findOperation } from '../operations/find.ts';
import type { Values } from '../settings/config.ts';
import { MAX_FOUND } from '../store/lists/found-items.ts';
import { type DatabaseSettings, withStore } from './command.ts';
import { perform, readOptions } from './operation.ts';
import { deliver, printJson } from './print.ts';

type FindSettings = DatabaseSettings & Pick<Values, 'account' | 'json'>;

function changeLine({ at, account_id, events, import: by }: FoundItemView['history'][number]): string {
  // Every update is a change; what else it was says more.
  const what = events.length > 1 ? events.filter((name) => name !== 'changed') : events;
  const feed = by?.feed ? `feed ${by.feed}, ` : '';
  const how = by === null ? '' : `: ${feed}${by.source} (${by.mode}, ${by.origin}, ${by.actor})`;
  return `  ${at ?? 'earlier'}  ${account_id}  ${what.join(', ')}${how}`;
}

function textOf({ list, id, account_id, label, item, history, webhooks }: FoundItemView): string {
  const values = Object.entries(item ?? {}).filter(([, value]) => value !== null && value !== '');
  const lines = [
    `${label ?? id}: ${list} ${id}, ${account_id === null ? 'of no account any more' : `of account ${account_id}`}`,
    ...values.map(([name, value]) => `  ${name}: ${String(value)}`),
    history.length === 0 ? 'No change is in the log.' : 'Changes, newest first:',
    ...history.map(changeLine),
    ...(webhooks.length === 0 ? [] : ['Webhooks:']),
    ...webhooks.map((one) => `  ${one.id}  ${one.name || '-'}  ${one.host}  ${one.status}`),
  ];
  return lines.map((each) => `${visible(each)}\n`).join('');
}

/** @throws {Failed} if there is nothing. */
export async function runFind(q: string, { account, json, ...database }: FindSettings): Promise<void> {
  const read = readOptions(
    findOperation,
    { q, account, page: 1, page_size: MAX_FOUND },
    { account: 'account' },
  );
  const found = await withStore(database, (store) => perform(findOperation, store, read, {}), 'read');
  if (json) return printJson(found.data);
  if (found.data.length === 0)
    throw new Failed(`No account has "${q}", or had it as far back as the log of changes reaches.`);
  await deliver(found.data.map(textOf).join('\n'));
}
