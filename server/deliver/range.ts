// What a range of the change log has for an endpoint, and the ids and items of a page of it.

import { EVENTS, type EventName } from '@linecard/client/contract/list';
import { selectionOf } from '../lists/plan.ts';
import { eventsOf } from '../store/activity.ts';
import { changesTable } from '../store/change-log.ts';
import { Values } from '../store/conditions.ts';
import { fromWhere, ofAccount, type Statement, statement, statementOf } from '../store/sql.ts';
import type { ResultRow, Store } from '../store/store.ts';
import { type ListName, tables } from '../store/tables.ts';
import { WEBHOOK_COLUMNS, type Webhook, webhookOf } from '../store/webhooks.ts';
import type { RangeContents, ReplacedReason } from './steps.ts';

const LISTS = Object.keys(tables) as ListName[];

/** Whose range, from one sequence up to another. */
export type Range = Pick<
  Webhook,
  'account_id' | 'from_sequence' | 'from_revision' | 'to_sequence' | 'to_revision'
>;

/** The account of an endpoint as it is now, and what its history has of the range. */
interface Head {
  readonly sequence: number;
  readonly revision: string;
  readonly isDisabled: boolean;
  /** When the range ended; undefined where that is not known any more. */
  readonly endedAt: string | undefined;
  /** How many items each list has. */
  readonly totals: ReadonlyMap<ListName, number>;
  /** The revisions that the history has at the start and the end of the range. */
  readonly atFrom: string | null;
  readonly atTo: string | null;
  readonly oldest: number;
}

/** One row `[sequence, revision, disabled_at, …]`, see `headOf`. */
function headStatement({ account_id, from_sequence, to_sequence }: Range): Statement {
  const of = (column: string, sequence: string) =>
    `(select ${column} from revisions where account_id = $1 and sequence = ${sequence})`;
  const columns = [
    'sequence',
    'revision',
    'disabled_at',
    `case when sequence = $3 then coalesce(updated_at, created_at) else ${of('ended_at', '$3 - 1')} end`,
    `case when sequence = $2 then revision else ${of('revision', '$2')} end`,
    `case when sequence = $3 then revision else ${of('revision', '$3')} end`,
    'coalesce((select min(sequence) from revisions where account_id = $1), sequence)',
    ...LISTS,
  ];
  const text = `select id, ${columns.join(', ')} from accounts where id = $1`;
  return ofAccount(account_id, text, from_sequence, to_sequence ?? 0);
}

function headOf([sequence, revision, disabledAt, endedAt, atFrom, atTo, oldest, ...totals]: ResultRow): Head {
  return {
    sequence: Number(sequence),
    revision: String(revision),
    isDisabled: disabledAt !== null,
    endedAt: (endedAt as string | null) ?? undefined,
    totals: new Map(LISTS.map((list, i) => [list, Number(totals[i])])),
    atFrom: atFrom as string | null,
    atTo: atTo as string | null,
    oldest: Number(oldest),
  };
}

/** Rows `[list, pruned, rebuilt, filled]`. */
function logsStatement(account_id: string): Statement {
  const text = 'select account_id, list, pruned, rebuilt, filled from change_logs where account_id = $1';
  return ofAccount(account_id, text);
}

/** Binds the entries of a range: `from … where …`. */
function entriesOf(
  values: Values,
  list: ListName,
  { account_id, from_sequence, to_sequence }: Range,
): string {
  const [owner, from, to] = [account_id, from_sequence, to_sequence ?? 0].map((one) => values.bind(one));
  return `from ${changesTable(list)} as logged
    where logged.account_id = ${owner} and logged.sequence > ${from} and logged.sequence <= ${to}`;
}

const had = (event: EventName) => `(what & ${EVENTS[event].bit}) > 0`;

/** At most one row: the last id of each event of the list in the range, null for none. */
function lastIdsStatement(list: ListName, range: Range): Statement {
  const values = new Values();
  const lasts = eventsOf(tables[list].list).map((event) => `max(case when ${had(event)} then id end)`);
  const text = `select account_id, ${lasts.join(', ')} ${entriesOf(values, list, range)} group by account_id`;
  return statementOf(range.account_id, text, values);
}

/** Why each list is to be read again, if it is. */
function replacedOf(range: Range, head: Head, logs: readonly ResultRow[]): Map<ListName, ReplacedReason> {
  const { from_sequence: from, from_revision, to_sequence, to_revision } = range;
  const to = to_sequence ?? 0;
  if (head.atFrom !== from_revision || head.atTo !== to_revision) {
    const isOld = (at: string | null, sequence: number) => at === null && sequence < head.oldest;
    const isExpired =
      (head.atFrom === from_revision || isOld(head.atFrom, from)) &&
      (head.atTo === to_revision || isOld(head.atTo, to));
    return new Map(LISTS.map((list) => [list, isExpired ? 'expired' : 'restored']));
  }
  return new Map(
    logs.flatMap(([list, pruned, rebuilt, filled]) => {
      // The sequence that rebuilds a list prunes itself.
      const reason =
        Number(rebuilt) > from
          ? 'rebuilt'
          : Number(pruned) > from
            ? 'expired'
            : Number(filled) > from
              ? 'filled'
              : undefined;
      return reason === undefined ? [] : [[list as ListName, reason]];
    }),
  );
}

/** An endpoint with its range, and what is known of that, from one snapshot. */
export interface RangeState extends RangeContents {
  readonly webhook: Webhook;
  readonly head: Head;
  /** The range ends at a revision that the history does not have. */
  readonly isLost: boolean;
}

/** `undefined` where the endpoint or its account is deleted. */
export async function readRange(
  store: Pick<Store, 'read'>,
  id: string,
  range: Range,
): Promise<RangeState | undefined> {
  const [rows = [], heads = [], logs = [], ...lasts] = (await store.read(
    statement(`select ${WEBHOOK_COLUMNS.join(', ')} from webhooks where id = $1`, id),
    headStatement(range),
    logsStatement(range.account_id),
    ...LISTS.map((list) => lastIdsStatement(list, range)),
  )) as ResultRow[][];
  const [[row], [found]] = [rows, heads];
  if (row === undefined || found === undefined) return undefined;
  const head = headOf(found);
  const lastIds = LISTS.flatMap((list, i) =>
    eventsOf(tables[list].list).map(
      (event, e) => [`${list}.${event}`, Number(lasts[i]?.[0]?.[e] ?? 0)] as const,
    ),
  );
  const replaced = replacedOf(range, head, logs);
  const isRestored = [...replaced.values()].includes('restored');
  return {
    webhook: webhookOf(row),
    head,
    replaced,
    lastIds: new Map(lastIds),
    isLost: isRestored && head.atTo !== range.to_revision,
  };
}

export interface PageItem {
  readonly id: number;
  /** What an item that was removed was known by. */
  readonly label: string | null;
  /** As it is stored; null if the list does not have it. */
  readonly item: string | null;
}

export interface Page {
  /** How many items of the range had the event. */
  readonly count: number;
  readonly items: readonly PageItem[];
}

/** The next items of a range that had an event, each as it is now. */
export async function readPage(
  store: Pick<Store, 'dialect' | 'read'>,
  range: Range,
  event: {
    readonly list: ListName;
    readonly kind: EventName;
    readonly after: number;
    readonly limit: number;
  },
): Promise<Page> {
  const { account_id } = range;
  const { list, kind, after, limit } = event;
  const { dialect } = store;
  const values = new Values();
  const selection = selectionOf(tables[list], account_id, { filters: [] });
  const log = changesTable(list);
  const ids = `select logged.account_id, id, max(sequence) as last, count(*) over () as total
    ${entriesOf(values, list, range)} and ${had(kind)} group by logged.account_id, id`;
  const label = `(select label from ${log} as removal where removal.account_id = ${values.bind(account_id)}
    and removal.sequence = ids.last and removal.id = ids.id)`;
  const text = `select account_id, total, id, label, item
    from (select account_id, total, id, ${label} as label from (${ids}) as ids
      where id > ${values.bind(after)} order by id limit ${dialect.limit(values.bind(limit))}) as named
    left join (select item, id as item_id ${fromWhere(dialect, values, selection)}) as stored on item_id = id
    order by id`;
  const [rows] = await store.read(statementOf(account_id, text, values));
  return {
    count: Number(rows[0]?.[0] ?? 0),
    items: rows.map(([, id, label, item]) => ({
      id: Number(id),
      label: label as string | null,
      item: item as string | null,
    })),
  };
}
