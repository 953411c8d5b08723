// What computing an answer needs, the same on every thread.

import type { FoundRows, ListIndex } from '../list-index/list-index.ts';
import { completeText } from '../lists/fields.ts';
import type { FoundRanges } from '../lists/ranges.ts';
import type { ReadOnlyStore } from '../store/store.ts';
import { type StoredItem, type Table, tableWith } from '../store/tables.ts';
import type { QuestionOfList } from './question.ts';

export interface EngineSettings {
  /** Encrypts cursors and change tokens. */
  readonly cursorKey: string;
  /** What addresses in answers begin with: the public URL, or the base path. */
  readonly address: string;
  readonly currency: string | null;
  /** How many months a payment covers, by frequency. */
  readonly billingMonths: ReadonlyMap<string, number>;
}

export interface Engine extends EngineSettings {
  readonly store: ReadOnlyStore;
  readonly isRequestThread?: boolean;
}

/** The most bytes of items in an answer of the request thread, which takes 5 ms per megabyte. */
const ANSWER_BYTES = 2_097_152;
/** A page with fewer items stays below that, however long they are. */
const SHORT_PAGE = 20;

/** An item is too long for the request thread, so a worker thread must compute the answer. */
class LongItem extends Error {
  override readonly name = 'LongItem';
}

/** The longest item of a page that may be read on this thread; `undefined` for no limit. */
export function itemBytesOf({ isRequestThread = false }: Engine, page_size: number): number | undefined {
  return isRequestThread && page_size > SHORT_PAGE ? Math.floor(ANSWER_BYTES / page_size) : undefined;
}

/** @throws {LongItem} if the item was too long, for which the statement returns an empty text. */
export function notTooLong(item: StoredItem): StoredItem {
  if (completeText(item) === '') throw new LongItem();
  return item;
}

/** Retries on a worker thread if items are too long for this one. */
export const ifLong =
  <T>(onThread: () => Promise<T>) =>
  (error: unknown): Promise<T> => {
    if (error instanceof LongItem) return onThread();
    throw error;
  };

/** An index of the list, or on a worker thread what it has found for the question. */
export interface IndexHint extends Pick<ListIndex, 'revision'> {
  find(...plan: Parameters<ListIndex['find']>): Iterator<void, FoundRows | undefined>;
  readonly ranges?: Found['ranges'];
}

/** What an index finds: rows, or the ranges of a page. */
export interface Found extends FoundRows {
  readonly ranges?: FoundRanges;
}

export type FoundPage = Found & Pick<ListIndex, 'revision'>;

export const tableOf = ({ list, own }: QuestionOfList): Table => tableWith(list, own);

/** The path of a question's list, including the prefix of the deployment. */
export function pathOf({ address }: EngineSettings, question: QuestionOfList): string {
  return address + tableOf(question).list.path;
}
