// Every successful answer about an account, with complete examples.

import { accounts } from '../contract/accounts.ts';
import { FILE_TYPES, type FileFormat } from '../contract/addresses.ts';
import type { List } from '../contract/list.ts';
import { QueryParser } from '../contract/query-parser.ts';
import { accountBelowSchema, accountSchema } from './account-schema.ts';
import { changesExamples, changesSchema } from './change-schemas.ts';
import { facetsExample, facetsSchema } from './facet-schemas.ts';
import {
  ACCOUNT_HEADERS,
  FILE_HEADERS,
  headerReferences,
  LIST_HEADERS,
  PAGE_HEADERS,
  type Reference,
} from './headers.ts';
import { exampleOf, itemExample, itemSchema, pageSchema, refTo, type Schema } from './schemas.ts';

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

export interface Content {
  readonly schema: Schema;
  /** Absent for a binary file. */
  readonly examples: Readonly<Record<string, Example>>;
}

export interface Answer {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<Record<string, Content>>;
}

/** An ordinary page, and two that surprise. */
function pageExamples(list: List, max_page_size: number, item: object): Record<string, Example> {
  const { page_size } = new QueryParser(list, max_page_size).ofString('');
  const total = 4 * page_size + 1;
  const page = (number: number, of: number, data: unknown[] = []) => {
    return { data, page: number, page_size, total: of, total_pages: Math.ceil(of / page_size) };
  };
  return {
    last_page: { summary: 'The last of five pages', value: page(5, total, [item]) },
    nothing: { summary: 'Nothing matches', value: page(1, 0) },
    past_the_end: { summary: 'A page past the last one', value: page(9, total) },
  };
}

/** The examples contain nothing that needs quotes. */
function csvExample(list: List): string {
  const cells = Object.values(itemExample(list)).map((value) => String(value ?? ''));
  return [Object.keys(list.fields), cells].map((line) => `${line.join(',')}\r\n`).join('');
}

/** Descriptions of the formats, with one item in those that are text. */
const FILES: Readonly<Record<FileFormat, (list: List) => Content>> = {
  csv: (list) => ({
    schema: {
      type: 'string',
      description:
        'RFC 4180, UTF-8, with a header row; columns in the order of the fields, `null` as an empty cell.',
    },
    examples: { file: { summary: 'Every match, as CSV', value: csvExample(list) } },
  }),
  ndjson: (list) => ({
    schema: { type: 'string', description: `One ${list.one} to a line, exactly as in \`data\`.` },
    examples: {
      file: { summary: 'Every match, as NDJSON', value: `${JSON.stringify(itemExample(list))}\n` },
    },
  }),
  xlsx: () => ({
    schema: {
      type: 'string',
      format: 'binary',
      description:
        'A workbook for Excel and LibreOffice: numbers keep their plus, times are dates in UTC, charges are numbers, flags are booleans.',
    },
    examples: {},
  }),
};

const OF_CONTENT = ['Link', 'Next-Cursor', 'X-Total-Count', 'Content-Disposition', 'Content-Encoding'];

/** 200, and 304 without the headers about the content. */
export function answersOf(
  description: string,
  names: readonly string[],
  content: Answer['content'] & object,
): Record<string, Answer> {
  return {
    200: { description, headers: headerReferences(names), content },
    304: {
      description: 'Nothing has changed since the `ETag` in `If-None-Match`. There is no body.',
      headers: headerReferences(names.filter((name) => !OF_CONTENT.includes(name))),
    },
  };
}

/** @param about what the schema says, unless it is said otherwise of this answer */
export function jsonAnswers(
  schema: Schema,
  names: readonly string[],
  examples: Content['examples'],
  about = String(schema.description),
): Record<string, Answer> {
  return answersOf(about, names, { 'application/json': { schema: refTo(schema), examples } });
}

export function listAnswers(list: List, max_page_size: number): Record<string, Answer> {
  const examples = pageExamples(list, max_page_size, itemExample(list));
  return jsonAnswers(pageSchema(list, max_page_size), PAGE_HEADERS, examples);
}

export function fileAnswers(list: List, format: FileFormat): Record<string, Answer> {
  const about = `All ${list.title.toLowerCase()} that match, from one snapshot, in the requested order.`;
  return answersOf(about, FILE_HEADERS, { [FILE_TYPES[format]]: FILES[format](list) });
}

export function itemAnswers(list: List): Record<string, Answer> {
  const examples = { item: { summary: `One ${list.one}`, value: itemExample(list) } };
  return jsonAnswers(itemSchema(list), [...ACCOUNT_HEADERS, 'ETag'], examples, `The ${list.one}.`);
}

export function facetsAnswers(list: List): Record<string, Answer> {
  const examples = { facets: { summary: 'The facets of 46 items', value: facetsExample(list) } };
  return jsonAnswers(facetsSchema(list), [...LIST_HEADERS, 'ETag'], examples);
}

export function changesAnswers(list: List, max_page_size: number): Record<string, Answer> {
  const schema = changesSchema(list, max_page_size);
  return jsonAnswers(schema, [...LIST_HEADERS, 'ETag', 'Content-Encoding'], changesExamples(list));
}

export function accountAnswers(): Record<string, Answer> {
  const examples = { account: { summary: 'An account', value: exampleOf(accountSchema) } };
  return jsonAnswers(accountSchema, [...ACCOUNT_HEADERS, 'ETag'], examples, 'The account of the token.');
}

export function accountsAnswers(max_page_size: number): Record<string, Answer> {
  const examples = pageExamples(accounts, max_page_size, exampleOf(accountBelowSchema));
  const names = [...ACCOUNT_HEADERS, 'ETag', 'Content-Encoding', 'Link'];
  return jsonAnswers(pageSchema(accounts, max_page_size), names, examples);
}
