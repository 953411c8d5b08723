// Every answer of the lists that is no error, with whole examples. The media types of a list are the entries
// of `listContent`.

import type { List } from '../contract/list.ts';
import { QueryParser } from '../contract/query-parser.ts';
import { facetsExample, facetsName } from './facet-schemas.ts';
import { EXPORT_HEADERS, headerReferences, LIST_HEADERS, PAGE_HEADERS, type Reference } from './headers.ts';
import { itemExample, pageName, SCHEMAS, type Schema } from './schemas.ts';

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

export interface Content {
  readonly schema: Schema;
  readonly examples: Readonly<Record<string, Example>>;
}

export interface Answer {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<Record<string, Content>>;
}

/** Whole pages: an ordinary one, and the two that surprise. */
function pageExamples(list: List, max_page_size: number): Record<string, Example> {
  const { page_size } = new QueryParser(list, max_page_size).ofString('');
  const total = 4 * page_size + 1;
  const page = (number: number, of: number, data: unknown[] = []) => {
    return { data, page: number, page_size, total: of, total_pages: Math.ceil(of / page_size) };
  };
  return {
    last_page: { summary: 'The last of five pages', value: page(5, total, [itemExample(list)]) },
    nothing: { summary: 'Nothing matches', value: page(1, 0) },
    past_the_end: { summary: 'A page past the last one', value: page(9, total) },
  };
}

/** One item as a CSV file with its header. Examples hold nothing that would need quotes. */
function csvExample(list: List): string {
  const cells = Object.values(itemExample(list)).map((value) => String(value ?? ''));
  return [Object.keys(list.fields), cells].map((line) => `${line.join(',')}\r\n`).join('');
}

/** What a list answers, by media type. */
function listContent(list: List, max_page_size: number): Record<string, Content> {
  const csv =
    'RFC 4180, UTF-8, with a header row; columns in the order of the fields, `null` as an empty cell.';
  const ndjson = `One ${list.one} to a line, exactly as in \`data\`.`;
  return {
    'application/json': {
      schema: { $ref: SCHEMAS + pageName(list) },
      examples: pageExamples(list, max_page_size),
    },
    'text/csv': {
      schema: { type: 'string', description: csv },
      examples: { export: { summary: 'Every match, as CSV', value: csvExample(list) } },
    },
    'application/x-ndjson': {
      schema: { type: 'string', description: ndjson },
      examples: {
        export: { summary: 'Every match, as NDJSON', value: `${JSON.stringify(itemExample(list))}\n` },
      },
    },
  };
}

/** A list's answers that are no errors. */
export function listAnswers(list: List, max_page_size: number): Record<string, Answer> {
  return {
    200: {
      description: `A page of ${list.title.toLowerCase()}; with \`Accept: text/csv\` or \`application/x-ndjson\` all of them.`,
      headers: headerReferences([...PAGE_HEADERS, ...EXPORT_HEADERS]),
      content: listContent(list, max_page_size),
    },
    304: {
      description:
        'Nothing of your account has changed since the `ETag` in `If-None-Match`. There is no body.',
      headers: headerReferences(PAGE_HEADERS.filter((name) => name !== 'Link')),
    },
  };
}

/** The answers of a list's facets that are no errors. */
export function facetsAnswers(list: List): Record<string, Answer> {
  return {
    200: {
      description: `What there is to choose from among ${list.title.toLowerCase()}.`,
      headers: headerReferences(LIST_HEADERS),
      content: {
        'application/json': {
          schema: { $ref: SCHEMAS + facetsName(list) },
          examples: { facets: { summary: 'The facets of 46 items', value: facetsExample(list) } },
        },
      },
    },
  };
}
