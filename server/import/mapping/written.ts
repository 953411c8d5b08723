// A mapping as its file has it, and how its names are compared and shown.

import type { DecimalSign } from '@linecard/client/check/contents';
import { plainName } from '../columns.ts';
import { shownName } from '../values.ts';

/** How the ids of a file that has none are made. */
export const ID_KINDS = ['digits', 'digest'] as const;
export type IdKind = (typeof ID_KINDS)[number];

/** What becomes of local times that clocks show twice, or not at all; the first of each is the default. */
export const REPEATED = ['earlier', 'later', 'refuse'] as const;
export const SKIPPED = ['later', 'refuse'] as const;

/** Where the value of a column is from: a name in the file, or one from which an id is made. */
export type MappingSource = string | { readonly from: string; readonly as?: IdKind };

/** What the cells of a column must be for a row to count. */
export type Condition = { readonly column: string } & (
  | { readonly present: boolean }
  | { readonly in: readonly string[] }
  | { readonly not_in: readonly string[] }
);

/** Texts that mean nothing is there: in every column, or in one of Linecard's. */
export type EmptyTexts = readonly string[] | Readonly<Record<string, readonly string[]>>;

/** A mapping as its file has it, once it is checked. */
export interface Mapping {
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly decimal?: DecimalSign;
  /** What charges have before or after them, such as `€` or `EUR`. */
  readonly currency?: string;
  readonly dates?: readonly string[];
  readonly time_zone?: string;
  readonly repeated?: (typeof REPEATED)[number];
  readonly skipped?: (typeof SKIPPED)[number];
  readonly columns: Readonly<Record<string, MappingSource>>;
  readonly constants?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly ignore?: readonly string[];
  /** The path of the array of a JSON document that has the rows. */
  readonly records?: string;
  /** The name of the sheet of a workbook, where it is not the first one that has a header. */
  readonly sheet?: string;
  /** How many lines are before the header, or names of the line that is the header. */
  readonly skip?: number;
  readonly header?: readonly string[];
  /** Which rows count; the others are left out, and counted. */
  readonly only?: readonly Condition[];
  /** A column of the list or of the file: of rows with the same value the first counts. */
  readonly unique?: string;
  readonly empty?: EmptyTexts;
  /** What is written before a quote within quotes, where that is not doubled. */
  readonly quote_escape?: string;
}

/** As names are compared. */
export const nameOf = (source: MappingSource): string =>
  plainName(typeof source === 'string' ? source : source.from);

/** A column in a message: with the name that the file has for it. */
export function columnLabel(mapping: Mapping | undefined, column: string): string {
  const source = mapping?.columns[column];
  if (source === undefined || nameOf(source) === column) return column;
  return `${shownName(nameOf(source))} (${column})`;
}
