// What a range of the change log has for an endpoint, read for one delivery after the other.

import type { ReplacedReason } from '@linecard/client/contract/webhooks';
import { ofAccount, type Statement, statement } from '../store/sql.ts';
import type { ResultRow, WithStore } from '../store/store.ts';
import { type ListName, tables } from '../store/tables.ts';
import { WEBHOOK_COLUMNS, type Webhook, webhookOf } from '../store/webhooks/webhooks.ts';
import {
  type Entries,
  type EventPart,
  type Items,
  LISTS,
  lastIdsOf,
  lastIdsStatement,
  type Range,
  readEntries,
  readEvent,
} from './entries.ts';
import type { RangeContents } from './steps.ts';

/** Entries of the log are read ahead for this number of pages. */
const PAGES_A_READ = 100;
const MAX_ENTRIES_A_READ = 10_000;

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

export interface Page extends Items {
  /** How many items of the range had the event. */
  readonly count: number;
}

/**
 * Reads the range of an endpoint. What the log has of it is read once and not for each delivery: its entries
 * stay as they are until they are pruned, and then the list is sent as replaced.
 */
export class RangeReader {
  readonly #read: WithStore;
  #range = '';
  #lastIds: ReadonlyMap<string, number> | undefined;
  /** Of one event; those that are not on a page yet. */
  #ahead: (Entries & Pick<EventPart, 'list' | 'kind'> & { readonly after: number }) | undefined;

  constructor(read: WithStore) {
    this.#read = read;
  }

  /** `undefined` where the endpoint or its account is deleted. The account may have been renamed. */
  async state(id: string, range: Range): Promise<RangeState | undefined> {
    this.#keepOf(range);
    const known = this.#lastIds;
    const [rows = [], heads = [], logs = [], ...lasts] = (await this.#read(async (store) =>
      store.read(
        statement(`select ${WEBHOOK_COLUMNS.join(', ')} from webhooks where id = $1`, id),
        headStatement(range),
        logsStatement(range.account_id),
        ...(known === undefined ? LISTS.map((list) => lastIdsStatement(list, range)) : []),
      ),
    )) as ResultRow[][];
    const [[row], [found]] = [rows, heads];
    if (row === undefined) return undefined;
    const webhook = webhookOf(row);
    const { account_id } = webhook;
    if (found === undefined)
      return account_id === range.account_id ? undefined : this.state(id, { ...range, account_id });
    const head = headOf(found);
    const lastIds = known ?? lastIdsOf(lasts);
    this.#lastIds = lastIds;
    const replaced = replacedOf(range, head, logs);
    const isRestored = [...replaced.values()].includes('restored');
    return {
      webhook,
      head,
      replaced,
      lastIds,
      isLost: isRestored && head.atTo !== range.to_revision,
    };
  }

  /**
   * The next items of a range that had an event, each as it is now; none where the log was pruned, or the
   * account has another id.
   */
  async page(range: Range, part: EventPart): Promise<Page> {
    this.#keepOf(range);
    const { list, kind, after, limit } = part;
    const known = this.#ahead;
    const isNext = known?.list === list && known.kind === kind && known.after === after;
    const isEnough = isNext && (known.isLast || known.entries.length >= limit);
    const ahead = isEnough
      ? known
      : await this.#read((store) =>
          readEntries(store, range, { ...part, limit: Math.min(limit * PAGES_A_READ, MAX_ENTRIES_A_READ) }),
        );
    const entries = ahead.entries.slice(0, limit);
    const last = entries.at(-1);
    if (last === undefined) {
      this.#lastIds = undefined;
      return { count: 0, table: tables[list], items: [] };
    }
    this.#ahead = { ...ahead, list, kind, after: last.id, entries: ahead.entries.slice(limit) };
    const found = await this.#read((store) => readEvent(store, range, part, entries));
    // None is there any more: or the account has another id since the range was read.
    const isNone = found.items.every(({ item }) => item === null);
    if (!isNone || (await this.isThere(range))) return { count: ahead.count, ...found };
    this.#range = '';
    return { count: 0, table: found.table, items: [] };
  }

  /** Whether the account has this id. No other gets it while a delivery is composed. */
  async isThere({ account_id }: Range): Promise<boolean> {
    const text = 'select id from accounts where id = $1';
    const [rows] = await this.#read(async (store) => store.read(ofAccount(account_id, text)));
    return rows?.length === 1;
  }

  #keepOf({ from_sequence, to_sequence }: Range): void {
    const range = `${from_sequence} ${to_sequence}`;
    if (range === this.#range) return;
    this.#range = range;
    this.#lastIds = undefined;
    this.#ahead = undefined;
  }
}
