// Where everything stands that the API answers, beside the lists themselves: items, files,
// changes, the account (docs/generated/api.md). Facets have theirs in facets.ts.

import type { List } from './list.ts';

/** The formats of a file, which are also the ends of its address, with their media types. */
export const FILE_TYPES = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

export type FileFormat = keyof typeof FILE_TYPES;

export const FILE_FORMATS = Object.keys(FILE_TYPES) as FileFormat[];

/** Whose token this is. */
export const ACCOUNT_PATH = '/api/v1/account';

/** Where all that matches of a list is as a file. */
export function filePath(list: List, format: FileFormat): string {
  return `${list.path}.${format}`;
}

/** Where what has changed in a list is. */
export function changesPath({ path }: Pick<List, 'path'>): string {
  return `${path}/changes`;
}

/** Where one item of a list is; `{id}` stands for any. */
export function itemPath(list: List, id: number | string = '{id}'): string {
  return `${list.path}/${id}`;
}
