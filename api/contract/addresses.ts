// The paths of items, files, changes, the account and agents (docs/generated/api.md), next to those of lists
// and facets.

import type { List } from './list.ts';

/** The formats of files, which are also the ends of their paths, with their media types. */
export const FILE_TYPES = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

export type FileFormat = keyof typeof FILE_TYPES;

export const FILE_FORMATS = Object.keys(FILE_TYPES) as FileFormat[];

export const ACCOUNT_PATH = '/api/v1/account';
export const ACCOUNTS_PATH = '/api/v1/accounts';
export const OPENAPI_PATH = '/openapi.json';
export const CATALOG_PATH = '/.well-known/api-catalog';
/** The reference: as a page, as Markdown, in short for language models, and as a catalog (RFC 9727). */
export const REFERENCE_PATHS = ['/docs', '/docs.md', '/llms.txt', CATALOG_PATH] as const;

/** Where the reference describes a problem. */
export const problemPlace = (code: string) => `problem-${code}`;
/** The Model Context Protocol over HTTP. */
export const MCP_PATH = '/mcp';

/** Names the account that a request is about: the caller's own, or one below it. */
export const ACCOUNT_HEADER = 'linecard-account';

export function filePath(list: List, format: FileFormat): string {
  return `${list.path}.${format}`;
}

export function changesPath({ path }: Pick<List, 'path'>): string {
  return `${path}/changes`;
}

/** Without an id, the template of an OpenAPI path. */
export function itemPath(list: List, id: number | string = '{id}'): string {
  return `${list.path}/${id}`;
}
