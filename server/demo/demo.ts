// The sample accounts of `serve --demo`: NDJSON files next to this one, imported into an empty database as an
// operator's files are (docs/how-to/import-files.md). Their times are relative to today, so that something is
// always due next week.

import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { List } from '@linecard/client/contract/list';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { importFiles } from '../import/import.ts';
import { insertAccount, listAccounts } from '../store/access/accounts.ts';
import { deploymentValue, setDeploymentValue } from '../store/deployment.ts';
import { listsWith, readDeclared } from '../store/lists/own-fields.ts';
import { processActor } from '../store/log/audit.ts';
import type { Store } from '../store/store.ts';
import { type ListName, tables } from '../store/tables.ts';

/** The row of `deployment` that marks a database as a demo: since when, or that it is still being filled. */
const MARK = 'demo';
const UNFINISHED = 'unfinished';
/** What the names of own fields begin with. */
const OWN = 'x_';
const MILLISECONDS_A_DAY = 86_400_000;
const ROWS_A_NEW_ONE = 25;
/** `+12d 08:00`: the time of the UTC day that is twelve days from today; without a time, its beginning. */
const RELATIVE_TIME = /^([+-]\d+)d(?: (\d\d:\d\d)(:\d\d(?:\.\d{6})?)?)?$/;

export interface DemoAccount {
  readonly id: string;
  readonly name: string;
  /** One line: what kind of customer it is. */
  readonly currency: string;
  readonly about: string;
}

function linesOf(name: string): string[] {
  return readFileSync(new URL(`./${name}.ndjson`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
}

/**
 * A time that is relative to the UTC day of `today` (milliseconds since 1970) as a timestamp.
 * @throws {Error} when it is written in another way.
 */
export function resolveTime(relative: string, today: number): string {
  const [found, days, time = '00:00', seconds = ':00'] = RELATIVE_TIME.exec(relative) ?? [];
  if (found === undefined) throw new Error(`"${relative}" is not a time such as "+12d 08:00".`);
  const day = timestampOf(today + Number(days) * MILLISECONDS_A_DAY).slice(0, 'YYYY-MM-DD'.length);
  return `${day}T${time}${seconds}Z`;
}

/**
 * The rows of a list as NDJSON that an import takes, without own fields that are not declared: as they are
 * or, for a history of what has happened, without the newest ones and before any was flagged.
 */
function* importLines(list: List, today: number, isEarlier: boolean): Generator<string> {
  const resolved = (name: string, value: unknown) => {
    const field = list.fields[name];
    if (field === undefined && name.startsWith(OWN)) return undefined;
    return field?.kind === 'timestamp' ? resolveTime(String(value), today) : value;
  };
  for (const [i, line] of linesOf(list.name.replaceAll('_', '-')).entries()) {
    if (isEarlier && i % ROWS_A_NEW_ONE === ROWS_A_NEW_ONE - 1) continue;
    const row = JSON.parse(line, resolved) as Record<string, unknown>;
    if (isEarlier && 'is_spammed' in row) row['is_spammed'] = false;
    yield `${JSON.stringify(row)}\n`;
  }
}

/** The sample accounts, in the order in which they are shown. */
export function demoAccounts(): DemoAccount[] {
  return linesOf('accounts').map((line) => JSON.parse(line) as DemoAccount);
}

/** The sample accounts of a database that `fillDemo` has filled; `undefined` when it is not a demo. */
export async function findDemo(store: Store): Promise<DemoAccount[] | undefined> {
  const mark = await deploymentValue(store, MARK);
  if (mark === undefined || mark === UNFINISHED) return undefined;
  const present = new Set((await listAccounts(store)).map(({ id }) => id));
  return demoAccounts().filter(({ id }) => present.has(id));
}

/**
 * Fills an empty database with the sample accounts, as they look on the UTC day of `today`, and marks it as a
 * demo; `undefined` when it has any account, which leaves it as it was. A run that was broken off is done
 * again.
 * @param declare declares own fields: the rows have values for `x_site` and `x_last_call` of virtual numbers.
 */
export async function fillDemo(
  store: Store,
  today: number = Date.now(),
  declare?: () => Promise<void>,
): Promise<DemoAccount[] | undefined> {
  const isUnfinished = (await deploymentValue(store, MARK)) === UNFINISHED;
  if (!isUnfinished && (await listAccounts(store)).length > 0) return undefined;
  const accounts = demoAccounts();
  await store.write(
    setDeploymentValue(MARK, UNFINISHED),
    ...accounts.map(({ id, name, currency }) => insertAccount(id, { name, currency })),
  );
  await declare?.();
  const all = listsWith(await readDeclared(store));
  const provenance = { origin: 'command', actor: processActor(), source: 'the sample accounts' } as const;
  for (const isEarlier of [true, false]) {
    for (const list of all) {
      const table = tables[list.name as ListName];
      const stdin = Readable.from(importLines(list, today, isEarlier));
      await importFiles({ store, table, files: ['-'], format: 'ndjson', stdin, provenance });
    }
  }
  await store.write(setDeploymentValue(MARK, timestampOf(today)));
  return accounts;
}
