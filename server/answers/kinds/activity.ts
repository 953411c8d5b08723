// What happened to the items of an account (docs/generated/api.md, "What has happened"), newest first, from
// one snapshot. A cursor contains the last entry of its page: later imports come before it, so it stays good.

import { MAX_INTEGER } from '@linecard/client/contract';
import {
  ACTIVITY_EVENTS,
  type ActivityEvent,
  activity,
  REPLACED,
  SHOWN_IDS,
} from '@linecard/client/contract/activity';
import { CHARGES_EVENT, type EventName, eventsOf } from '@linecard/client/contract/list';
import { invalidParameter } from '@linecard/client/contract/problems';
import { formatSelection } from '@linecard/client/contract/query';
import { invalidCursor, seal, unseal } from '../../lists/cursor.ts';
import { timeValue } from '../../lists/plan.ts';
import { Refusal } from '../../store/access/refusals.ts';
import type { ColumnCondition } from '../../store/conditions.ts';
import {
  activityHeadStatement,
  activityStatement,
  knownStatement,
  replacedStatement,
} from '../../store/log/activity.ts';
import type { ResultRow } from '../../store/store.ts';
import { type ListName, type Table, tables } from '../../store/tables.ts';
import { type Answer, jsonAnswer } from '../answer.ts';
import type { Engine } from '../engine.ts';
import { type AccountQuestion, knownRow, type Owner } from '../question.ts';
import { type LoggedEntry, type LoggedItem, withItems } from './activity-items.ts';

interface Entry extends LoggedEntry {
  readonly sequence: number;
  readonly event: ActivityEvent;
}

/** The last entry of the page before. */
type Position = readonly [sequence: number, event: number];

interface ActivityRequest {
  readonly account_id: string;
  readonly tables: readonly Table[];
  readonly events: readonly ActivityEvent[];
  readonly ids: readonly number[] | undefined;
  readonly times: readonly (ColumnCondition & { readonly test: 'from' | 'to'; readonly value: string })[];
  readonly page_size: number;
  readonly position: Position;
  readonly selection: string;
  readonly scope: readonly string[];
}

const NAMES = Object.keys(ACTIVITY_EVENTS) as ActivityEvent[];
const ALL_TABLES: readonly Table[] = Object.values(tables);
/** Before all entries. */
const START: Position = [MAX_INTEGER, -1];

/** What is reported if no events are named. */
const isUsual = (event: ActivityEvent, { charges }: Owner['limits']) =>
  event !== 'changed' && (charges || event !== CHARGES_EVENT);

const orderOf = (event: ActivityEvent) => NAMES.indexOf(event);

const isAfter = ({ sequence, event }: Entry, [of, index]: Position) =>
  sequence < of || (sequence === of && orderOf(event) > index);

function positionOf(cursorKey: string, scope: readonly string[], cursor: string | undefined): Position {
  if (cursor === undefined) return START;
  const payload = unseal(cursorKey, scope, cursor);
  if (payload !== undefined) return JSON.parse(payload) as Position;
  throw invalidCursor('The cursor was altered, or belongs to other parameters or another account.');
}

/** @throws {Problem} `forbidden` if a list is named that the caller may not see. */
function tablesOf(listed: readonly string[] | undefined, { lists }: Owner['limits']): Table[] {
  const isVisible = (name: string) => lists?.some((one) => one === name) ?? true;
  const hidden = listed?.find((name) => !isVisible(name));
  if (hidden !== undefined) {
    const detail = `This token may not see ${hidden}: leave it out of lists.`;
    throw new Refusal('forbidden', detail, 'list', { faults: [{ parameter: 'lists', detail }] });
  }
  return ALL_TABLES.filter(({ name }) => isVisible(name) && (listed?.includes(name) ?? true));
}

/** @throws {Problem} `invalid-parameter`, `invalid-cursor`, `forbidden` */
export function activityRequest({ cursorKey }: Engine, { query, owner }: AccountQuestion): ActivityRequest {
  const { account_id, limits } = owner;
  const { filters, page_size, cursor } = query;
  const given = <T>(name: keyof typeof activity.filters) =>
    filters.find((filter) => filter.name === name)?.value as T | undefined;
  const ids = given<readonly number[]>('ids');
  const requested = tablesOf(given('lists'), limits);
  if (ids !== undefined && requested.length !== 1) {
    const detail = `ids are of one list: name it, such as lists=${ALL_TABLES[0]?.name}.`;
    throw invalidParameter([{ parameter: 'ids', detail }]);
  }
  const selection = formatSelection(query);
  const scope = [activity.name, account_id, selection];
  const events = given<readonly ActivityEvent[]>('events');
  return {
    account_id,
    tables: requested,
    events: NAMES.filter((name) => events?.includes(name) ?? isUsual(name, limits)),
    ids,
    times: (['from', 'to'] as const).flatMap((test) => {
      const time = given<string>(test);
      return time === undefined ? [] : [{ column: 'ended_at', test, value: timeValue(test, time) }];
    }),
    page_size,
    position: positionOf(cursorKey, scope, cursor),
    selection,
    scope,
  };
}

function entriesOf(list: ListName, events: readonly EventName[], row: ResultRow): Entry[] {
  const [sequence, at, ...rest] = row;
  return events.flatMap((event, i): Entry[] => {
    const count = Number(rest[2 * i]);
    if (count === 0) return [];
    const items = (JSON.parse(`[${rest[2 * i + 1]}]`) as LoggedItem[]).sort(([a], [b]) => a - b);
    const line = { at: String(at), list, event, count, ids: items.map(([id]) => id) };
    return [{ sequence: Number(sequence), event, list, line, items }];
  });
}

/** The lists that were replaced, of which no entries are left or ever were. */
function replacedEntries(
  { tables: requested, events, times }: ActivityRequest,
  logs: readonly ResultRow[],
  totals: ReadonlyMap<string, number>,
): Entry[] {
  if (!events.includes(REPLACED)) return [];
  const isWanted = (at: unknown): at is string =>
    typeof at === 'string' && times.every(({ test, value }) => (test === 'from' ? at >= value : at <= value));
  return logs
    .filter(([list]) => requested.some(({ name }) => name === list))
    .flatMap(([name, pruned, ...replaced]): Entry[] => {
      const list = name as ListName;
      const [filled, filledAt, rebuilt, rebuiltAt] = replaced;
      const all = [
        [filled, filledAt],
        [rebuilt, rebuiltAt],
      ] as const;
      return all.flatMap(([sequence, at]): Entry[] => {
        // The sequence that rebuilds a list prunes itself.
        const isKnown = Number(sequence) >= Number(pruned) && Number(sequence) > 0;
        if (!isKnown || !isWanted(at)) return [];
        const count = totals.get(list) ?? 0;
        const line = { at, list, event: REPLACED, count, ids: [] } as const;
        return [{ sequence: Number(sequence), event: REPLACED, list, line, items: [] }];
      });
    });
}

/** The statements for the lists of a request, with the events that each of them has. */
function statementsOf({ store }: Engine, request: ActivityRequest) {
  const { account_id, position, page_size, times, ids } = request;
  // The first import may be one whose entries are on the page before; one more shows whether a page follows.
  const range = { upTo: position[0], imports: page_size + 2, times, ids, shown: ids?.length ?? SHOWN_IDS };
  return request.tables.flatMap((table) => {
    const events = eventsOf(table.list).filter((event) => request.events.includes(event));
    if (events.length === 0) return [];
    const statement = activityStatement(store.dialect, account_id, table, events, range);
    return [{ name: table.name as ListName, events, statement }];
  });
}

/** @throws {Problem} `invalid-parameter`, `invalid-cursor` */
export async function readActivity(engine: Engine, question: AccountQuestion): Promise<Answer> {
  const { store, cursorKey, address } = engine;
  const { dialect } = store;
  const request = activityRequest(engine, question);
  const { account_id, events, position, page_size, selection, scope } = request;
  const names = request.tables.map(({ name }) => name);
  const each = statementsOf(engine, request);
  const [heads, logs, known, ...imports] = (await store.read(
    activityHeadStatement(account_id, names),
    replacedStatement(account_id),
    knownStatement(dialect, account_id, names, events.includes(REPLACED)),
    ...each.map(({ statement }) => statement),
  )) as ResultRow[][];
  const [revision, began, createdAt, ...totals] = knownRow(heads?.[0]);
  const [unknownUpTo = null, endedAt] = known?.[0] ?? [];
  const since = unknownUpTo === null ? createdAt : (endedAt ?? began);
  const entries = [
    ...each.flatMap(({ name, events: own }, i) =>
      (imports[i] ?? []).flatMap((row) => entriesOf(name, own, row)),
    ),
    ...replacedEntries(request, logs ?? [], new Map(names.map((name, i) => [name, Number(totals[i])]))),
  ]
    .filter((entry) => isAfter(entry, position))
    .sort((a, b) => b.sequence - a.sequence || orderOf(a.event) - orderOf(b.event));
  const data = entries.slice(0, page_size);
  const last = entries.length > page_size ? data.at(-1) : undefined;
  const body = JSON.stringify({ data: await withItems(store, account_id, data), since });
  if (last === undefined) return jsonAnswer(question, revision as string, body);
  const cursor = seal(cursorKey, scope, JSON.stringify([last.sequence, orderOf(last.event)]));
  const search = [selection, `cursor=${cursor}`, `page_size=${page_size}`]
    .filter((part) => part !== '')
    .join('&');
  const link = `<${address}${activity.path}?${search}>; rel="next"`;
  return jsonAnswer(question, revision as string, body, { headers: { link } });
}
