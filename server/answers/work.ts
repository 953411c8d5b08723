// The kinds of answers, one entry each. Their work runs on any thread.

import type { ListIndex } from '../list-index/list-index.ts';
import { isNear } from '../lists/plan.ts';
import type { Answer } from './answer.ts';
import { type Engine, type Found, type IndexHint, tableOf } from './engine.ts';
import { readAccount } from './kinds/account.ts';
import { readAccounts } from './kinds/accounts.ts';
import { activityRequest, readActivity } from './kinds/activity.ts';
import { streamChanges } from './kinds/change-stream.ts';
import { countMatching, isWalk, readChanges, requestOf as requestOfChanges } from './kinds/changes.ts';
import { exportList } from './kinds/export.ts';
import { countFacets } from './kinds/facets.ts';
import { readItem } from './kinds/item.ts';
import { findPage, readPage, requestOf } from './kinds/page.ts';
import { exportRanges, findRanges, readRanges } from './kinds/ranges.ts';
import { readWebhook, readWebhooks } from './kinds/webhooks.ts';
import type { Reads } from './placement.ts';
import type { Kind, ListQuestion, Question, QuestionOf, StreamQuestion } from './question.ts';

export interface Work<Q extends Question = Question> {
  /**
   * The answer, from one snapshot. With an index, `undefined` if that cannot answer.
   * @throws {Problem}
   */
  answer(engine: Engine, question: Q, index?: IndexHint): Promise<Answer | undefined>;
  reads(question: Q): Reads;
  /** What it reads where an index is used; rows if absent. */
  readsByIndex?(engine: Engine, question: Q): Reads;
  /** What an index finds, if the rest of the work can be done on another thread. */
  find?(engine: Engine, question: Q, index: ListIndex): Found | undefined | Promise<Found | undefined>;
  readonly cache?: 'pages' | 'facets' | 'ranges';
  /** Present if the entity tag depends on the revision alone: throws if the question is invalid. */
  check?(engine: Engine, question: Q): unknown;
}

const EXPORT: Work<StreamQuestion> = { answer: exportList, reads: () => 'stream', check: () => {} };

const isFiltered = ({ query: { filters, q } }: ListQuestion) => filters.length > 0 || q !== undefined;

export const WORK = {
  page: {
    answer: readPage,
    reads: (question) => (isNear(tableOf(question).list, question.query) ? 'rows' : 'list'),
    find: findPage,
    cache: 'pages',
    check: requestOf,
  },
  item: { answer: readItem, reads: () => 'rows' },
  facets: {
    answer: (engine, question, index) => countFacets(engine, question, index as ListIndex | undefined),
    reads: () => 'counts',
    cache: 'facets',
  },
  changes: {
    answer: readChanges,
    reads: (question) => (isFiltered(question) ? 'list' : 'rows'),
    // An index counts what a walk with filters has, and the database finds it.
    readsByIndex: (engine, question) => (isWalk(requestOfChanges(engine, question)) ? 'list' : 'rows'),
    find: countMatching,
  },
  change_stream: { answer: streamChanges, reads: () => 'stream' },
  ranges: {
    answer: readRanges,
    reads: () => 'counts',
    readsByIndex: () => 'counts',
    find: findRanges,
    cache: 'ranges',
    check: () => {},
  },
  ranges_file: { answer: exportRanges, reads: () => 'stream', check: () => {} },
  export: EXPORT,
  workbook: EXPORT,
  account: { answer: readAccount, reads: () => 'rows' },
  // A page counts all that are below, and a search reads their names: there may be a hundred thousand.
  accounts: { answer: readAccounts, reads: () => 'stream' },
  activity: { answer: readActivity, reads: () => 'log', check: activityRequest },
  webhooks: { answer: readWebhooks, reads: () => 'rows' },
  webhook: { answer: readWebhook, reads: () => 'rows' },
} as const satisfies { readonly [K in Kind]: Work<QuestionOf<K>> };

export const workOf = ({ kind }: Pick<Question, 'kind'>): Work => WORK[kind];
