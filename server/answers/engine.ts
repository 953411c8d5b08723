// What answers are made with, the same on every thread.

import type { FoundRows, ListIndex } from '../list-index/list-index.ts';
import type { Store } from '../store/store.ts';
import { type Table, tables } from '../store/tables.ts';
import type { Question } from './question.ts';

/** The settings of a deployment that answers depend on. */
export interface EngineSettings {
  /** Seals cursors and tokens of changes. */
  readonly cursorKey: string;
  /** The path of the deployment, before every path of the API. */
  readonly basePath: string;
  /** The currency of accounts that have none of their own. */
  readonly currency: string | null;
}

export interface Engine extends EngineSettings {
  readonly store: Store;
  readonly isRequestThread?: boolean;
}

/** So many bytes of items the request thread makes an answer of: a megabyte takes it five milliseconds. */
const ANSWER_BYTES = 2_097_152;
/** A page of fewer items is no longer than that, whatever is in them. */
const SHORT_PAGE = 20;

/** An item is too long for the request thread: a worker thread has to make the answer. */
export class LongItem extends Error {
  override readonly name = 'LongItem';
}

/** How long each item of a page may be to be read here; `undefined` for any length. */
export function itemBytesOf({ isRequestThread = false }: Engine, page_size: number): number | undefined {
  return isRequestThread && page_size > SHORT_PAGE ? Math.floor(ANSWER_BYTES / page_size) : undefined;
}

/**
 * The text of an item as it was read.
 * @throws {LongItem}
 */
export function readItemText(text: unknown): string {
  if (text === '') throw new LongItem();
  return text as string;
}

/** An index of the list, or what it has found for a question that is answered on another thread. */
export type IndexHint = Pick<ListIndex, 'revision' | 'find'>;

/** Rows that an index of this revision has found. */
export type FoundPage = FoundRows & Pick<ListIndex, 'revision'>;

export const tableOf = ({ list }: Question): Table => tables[list as keyof typeof tables];

/** The path of a question's list, as clients know it. */
export function pathOf({ basePath }: EngineSettings, question: Question): string {
  return basePath + tableOf(question).list.path;
}
