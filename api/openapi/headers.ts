// The headers of answers, each described once, and which answers have which.

import { changesPath } from '../contract/addresses.ts';
import { lists } from '../contract/contract.ts';
import type { Parameter } from './page-parameters.ts';
import { COUNT, type Schema, TEXT } from './schemas.ts';

export interface Reference {
  readonly $ref: string;
}

export interface Header {
  readonly description: string;
  readonly schema: Schema;
  readonly example: string | number;
}

export const REQUEST_ID = '0198d1f0-6f5b-7c3e-9a51-3b7e2f0c8d44';
const ETAG = '"1.0.0-57"';
const CURSOR = 'eyJhZnRlciI6NDgxNTF9';

/** On every answer about an account, after authentication. */
export const ACCOUNT_HEADERS = [
  'X-Request-Id',
  'Cache-Control',
  'Vary',
  'Linecard-Account',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
];
/** On answers to QUERY too. */
export const LIST_HEADERS = [...ACCOUNT_HEADERS, 'Accept-Query'];
export const PAGE_HEADERS = [...LIST_HEADERS, 'ETag', 'Content-Encoding', 'Link', 'Next-Cursor'];
export const FILE_HEADERS = [
  ...LIST_HEADERS,
  'ETag',
  'Link',
  'X-Total-Count',
  'Content-Disposition',
  'Content-Encoding',
];

function link(rest: string, rel: string): string {
  return `<${lists.virtual_numbers.path}?${rest}&page_size=10>; rel="${rel}"`;
}

/** Texts unless a schema says otherwise. */
const HEADERS: Readonly<Record<string, Omit<Header, 'schema'> & { readonly schema?: Schema }>> = {
  'X-Request-Id': {
    description: 'The id of this request, as in the log. A sane one that you send is used.',
    example: REQUEST_ID,
  },
  ETag: {
    description: 'Stands for everything on the account: send it back as `If-None-Match`.',
    example: ETAG,
  },
  'Cache-Control': {
    description:
      'An answer may be cached by the caller alone, and is revalidated before each use; an error is `no-store`.',
    example: 'private, no-cache',
  },
  Vary: {
    description: 'Which request headers the answer depends on.',
    example: 'Authorization, Linecard-Account, Accept, Accept-Encoding',
  },
  'Linecard-Account': {
    description: 'The account that the answer is about, where the request named one.',
    example: 'harbour-dental',
  },
  'Accept-Query': {
    description: 'The same address also takes `QUERY` (RFC 10008), with a body of this media type.',
    example: 'application/json',
  },
  'Preference-Applied': {
    description: 'That the answer came after a wait which `Prefer` had requested.',
    example: 'wait=25',
  },
  'X-Total-Count': {
    description: 'How many items the file holds.',
    schema: COUNT,
    example: 46,
  },
  'Content-Disposition': {
    description: 'A name for the file.',
    example: 'attachment; filename="virtual-numbers.csv"',
  },
  'Content-Encoding': {
    description:
      'How the answer is compressed, where `Accept-Encoding` allows it: a file of text, or JSON of 16 kB and more.',
    example: 'gzip',
  },
  Link: {
    description:
      'Other pages of the same list (RFC 8288): `first`, `prev`, `next` and `last`, where they exist. `monitor` leads to what changes from here on, `help` of an error to what it means, `service-desc` and `service-doc` of an answer without a token to this document and its guide. Relative to the address of the request, or complete.',
    example: [
      link('page=1', 'first'),
      link(`cursor=${CURSOR}`, 'next'),
      link('page=5', 'last'),
      `<${changesPath(lists.virtual_numbers)}?since=${CURSOR}>; rel="monitor"`,
    ].join(', '),
  },
  'Next-Cursor': {
    description:
      'In an answer to `QUERY`, which has no `Link`: the `cursor` for the next body; absent on the last page.',
    example: CURSOR,
  },
  'RateLimit-Policy': {
    description:
      'How many requests (`q`) the token has in how many seconds (`w`); `"token"` where that is a limit of its own. Absent where there is no limit.',
    example: '"default";q=600;w=60',
  },
  RateLimit: {
    description: 'How many requests are left (`r`), and in how many seconds they come back (`t`).',
    example: '"default";r=599;t=60',
  },
  'Retry-After': {
    description: 'How many seconds to wait before trying again.',
    schema: { type: 'integer', format: 'int32', minimum: 0 },
    example: 17,
  },
  'WWW-Authenticate': { description: 'How to authenticate.', example: 'Bearer' },
};

export const headers: Readonly<Record<string, Header>> = Object.fromEntries(
  Object.entries(HEADERS).map(([name, { description, schema = TEXT, example }]) => [
    name,
    { description, schema, example },
  ]),
);

export function headerReferences(names: readonly string[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path';
  readonly description: string;
  readonly required: boolean;
  readonly style?: 'form';
  readonly explode?: boolean;
  readonly schema: Schema;
  readonly example: Parameter['example'];
}

const PARAMETERS: Readonly<Record<string, Pick<OpenApiParameter, 'description' | 'example'>>> = {
  'If-None-Match': {
    description: 'An `ETag` that you were given: the answer is `304` while it still holds.',
    example: ETAG,
  },
  Prefer: {
    description:
      'With `If-None-Match`: `wait=25` (RFC 7240; seconds, at most 55) waits so long for a change before it answers `304`. Changes are also waited for without it, where there are none yet.',
    example: 'wait=25',
  },
  'Linecard-Account': {
    description:
      'The id of the account to read, percent-encoded as UTF-8: your own or, with the reach `tree`, one below it. Without it, your own.',
    example: 'harbour-dental',
  },
  'X-Request-Id': {
    description:
      'Your own id for this request: up to 128 letters, digits and `. _ - : + / = @`. Any other is replaced by one of ours.',
    example: REQUEST_ID,
  },
};

export const headerParameters: Readonly<Record<string, OpenApiParameter>> = Object.fromEntries(
  Object.entries(PARAMETERS).map(([name, { description, example }]) => [
    name,
    { name, in: 'header', required: false, schema: TEXT, description, example },
  ]),
);

export const parameterRef = (name: string): Reference => ({ $ref: `#/components/parameters/${name}` });
