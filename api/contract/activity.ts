// Activity (docs/generated/api.md, "What has happened"): what happened to the items of an account, import by
// import. Its parameters are described as those of a list are, so that the same parser reads them.

import { lists } from './contract.ts';
import { defineList, EVENT_MEANINGS, type EventName } from './list.ts';

/** Most ids that an entry names. */
export const SHOWN_IDS = 20;
/** Most values of `ids`. */
export const MAX_ACTIVITY_IDS = 100;

/** An import put other items in place of a list, or most of them: which ones is not recorded. */
export const REPLACED = 'replaced';

export type ActivityEvent = EventName | typeof REPLACED;

/** What each event means, in the order of an answer. */
export const ACTIVITY_EVENTS: Readonly<Record<ActivityEvent, string>> = {
  ...EVENT_MEANINGS,
  [REPLACED]:
    'An import filled a list that was empty, or changed most of a large one: read the list again. `count` is how many items the list has now.',
};

export const activity = defineList({
  name: 'activity',
  title: 'Activity',
  one: 'event',
  about:
    'What happened to the items of the account, newest first: one entry for each import, list and event.',
  path: '/api/v1/activity',
  fields: {
    at: {
      kind: 'timestamp',
      about: 'When the import was committed.',
      example: '2026-11-21T03:12:45.120000Z',
      past: true,
      required: true,
    },
    list: {
      kind: 'text',
      about: 'The list that it changed.',
      example: 'virtual_numbers',
      required: true,
      known: Object.keys(lists),
      closed: true,
    },
    event: {
      kind: 'text',
      about: 'What happened.',
      example: 'spam_flagged',
      required: true,
      known: Object.keys(ACTIVITY_EVENTS),
      closed: true,
    },
    count: {
      kind: 'integer',
      about: 'How many items it happened to.',
      example: 12,
      required: true,
      counts: true,
    },
    ids: {
      kind: 'integer',
      about: `The ids of the first ${SHOWN_IDS} of them, ascending; with the parameter \`ids\`, of all.`,
      example: 48151,
      required: true,
    },
  },
  hidden: {},
  only: {},
  filters: {
    lists: { field: 'list', test: 'any' },
    events: { field: 'event', test: 'any' },
    ids: { field: 'ids', test: 'any', max: MAX_ACTIVITY_IDS },
    from: { field: 'at', test: 'from' },
    to: { field: 'at', test: 'to' },
  },
  search: [],
  sorts: {},
  label: 'event',
  events: {},
});

/** What each parameter does, where the description of a list's filter would not say it. */
export const ACTIVITY_FILTERS: Readonly<Record<keyof typeof activity.filters, string>> = {
  lists: 'Only what happened in these lists. Both without it.',
  events: 'Only these events. All but `changed` without it.',
  ids: 'Only what happened to the items of these ids; `lists` must name the one list that they are of.',
  from: 'Only imports at this time or later, or on this day or later.',
  to: 'Only imports at this time or earlier, or on this day or earlier.',
};

/** The members of an answer in their order. */
export const activityEnvelope = {
  data: 'The entries, newest first.',
  since: 'From when on everything is known: of what happened earlier, entries may be missing.',
} as const;

/** What each item of an entry says. */
export const activityItem = {
  id: 'The `id` of the item.',
  label:
    'The number or title that it has now, or had when it was removed. Absent where that is no longer known.',
  from: 'The fields of the event that changed, as they were before the import. Absent with `added`, `removed` and `changed`, for an item that was added, and for imports before an upgrade to this version.',
  to: 'The same fields as they were after it.',
} as const;

/** An item of an entry. */
export interface ActivityItem {
  readonly id: number;
  /** The number or title that it has now, or had when it was removed; absent where that is not known. */
  readonly label?: string;
  /**
   * The fields of the event that changed, as they were before the import: `{ monthly: 2.25 }`. Absent with
   * `added`, `removed` and `changed`, for an item that was added, and where the log is older.
   */
  readonly from?: Readonly<Record<string, string | number | boolean>>;
  /** The same fields as they were after it. */
  readonly to?: Readonly<Record<string, string | number | boolean>>;
}

/** What an import did to the items of a list. */
export interface ActivityEntry {
  /** When the import was committed. */
  readonly at: string;
  readonly list: keyof typeof lists | (string & {});
  readonly event: ActivityEvent | (string & {});
  /** How many items it happened to; for `replaced`, how many items the list has now. */
  readonly count: number;
  /** The ids of the first 20 of them, ascending; with `ids` in the query, of all. Empty for `replaced`. */
  readonly ids: readonly number[];
  /** What these items are called and, of an event with fields, what these were and became. */
  readonly items: readonly ActivityItem[];
}

/** The parameters of activity. */
export interface ActivityQuery {
  /** Only what happened in these lists. */
  readonly lists?: readonly (keyof typeof lists)[] | undefined;
  /** Only these events; all but `changed` without it. */
  readonly events?: readonly ActivityEvent[] | undefined;
  /** Only what happened to these items, at most 100, of the one list in `lists`. */
  readonly ids?: readonly number[] | undefined;
  /** Only imports at this time or later, or on this day or later. */
  readonly from?: string | undefined;
  /** Only imports at this time or earlier, or on this day or earlier. */
  readonly to?: string | undefined;
  /** How many entries to a page; by default as many as the deployment allows. */
  readonly page_size?: number | undefined;
  /** Where to continue, from a `Link` header with `rel="next"`. */
  readonly cursor?: string | undefined;
}
