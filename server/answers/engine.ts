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
