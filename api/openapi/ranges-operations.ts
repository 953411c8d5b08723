// The operations of ranges: the telephone numbers of a list as runs of numbers that follow each other.

import { FILE_TYPES } from '../contract/addresses.ts';
import { PRICE_FIELD } from '../contract/facets.ts';
import { fieldOf, type List } from '../contract/list.ts';
import {
  hasRanges,
  MAX_RANGE_DIGITS,
  RANGE_COUNTRY,
  rangeMembers,
  rangesFilePath,
  rangesPath,
} from '../contract/ranges.ts';
import { answersOf, type Content, jsonAnswers } from './answers.ts';
import { sampleParameters } from './code-samples.ts';
import { ACCOUNT_REQUEST, FILE_REQUEST } from './failures.ts';
import { FILE_HEADERS, PAGE_HEADERS } from './headers.ts';
import { type AccountOperation, inQuery, QUERY_TOO } from './list-operations.ts';
import { parametersOf } from './parameters.ts';
import { exampleOf, fieldSchema, INTEGER, object, pageOf, type Schema } from './schemas.ts';

function rangeSchema(list: List): Schema {
  const number = fieldSchema(fieldOf(list, String(list.searchDigits)));
  const { splits = [] } = list;
  const own: Record<string, Schema> = {
    from: { ...number, description: 'The first number, as the platform knows it.' },
    to: {
      ...number,
      description: 'The last number; the first one where there is no other.',
      examples: ['+442079460117'],
    },
    count: {
      description: 'How many items it has: a number that is on the account twice counts twice.',
      ...INTEGER,
      examples: [100],
    },
    [RANGE_COUNTRY]: {
      ...fieldSchema(fieldOf(list, RANGE_COUNTRY)),
      description: 'That of all its numbers, or null where they have several.',
      type: ['string', 'null'],
    },
    [PRICE_FIELD]: {
      description: 'The exact sum of their monthly charges; absent where the token may not see charges.',
      type: 'number',
      examples: [225],
    },
  };
  const split = (name: string): Schema => ({
    ...fieldSchema(fieldOf(list, name)),
    description: 'That of all its numbers; with `split_by` alone.',
  });
  const members = rangeMembers(splits, true).map((name) => [name, own[name] ?? split(name)] as const);
  return object(Object.fromEntries(members), {
    title: 'NumberRange',
    description: 'Numbers of the same length that follow each other without a gap.',
    required: rangeMembers([], false),
  });
}

function about(list: List): string {
  const things = list.title.toLowerCase();
  return `The ${things} that match as ranges: longest runs of numbers whose digits have the same length and follow each other without a gap. By number of digits, then by digits. A number of more than ${MAX_RANGE_DIGITS} digits, and a text without digits, is a range of its own.`;
}

/** By path; none where a list has no telephone numbers. */
export function rangesOperations(list: List, max_page_size: number): Record<string, AccountOperation> {
  if (!hasRanges(list)) return {};
  const things = list.title.toLowerCase();
  const range = rangeSchema(list);
  const page = pageOf(range, 'Number ranges', max_page_size);
  const value = { ...exampleOf(page), data: [exampleOf(rangeSchema({ ...list, splits: [] }))] };
  const parameters = parametersOf(list, max_page_size, 'ranges');
  const fileParameters = parametersOf(list, max_page_size, 'ranges_file');
  const line = Object.values(exampleOf(rangeSchema({ ...list, splits: [] }))).join(',');
  const text = `${rangeMembers([], true).join(',')}\r\n${line}\r\n`;
  const file: Content = {
    schema: { type: 'string', description: 'RFC 4180, UTF-8, with a header row; `null` is an empty cell.' },
    examples: { file: { summary: 'Every range, as CSV', value: text } },
  };
  return {
    [rangesPath(list)]: {
      tag: list.title,
      operationId: `ranges_of_${list.name}`,
      summary: `Ranges of ${things}`,
      description: `${about(list)} With \`Accept: ${FILE_TYPES.csv}\` all of them as a file, without \`page\` and \`page_size\`. ${QUERY_TOO} Its answer has no \`Link\`: the next page is the next number.`,
      parameters: parameters.map(inQuery),
      answers: jsonAnswers(
        page,
        PAGE_HEADERS.filter((name) => name !== 'Next-Cursor'),
        {
          page: { summary: 'A page of ranges', value },
        },
      ),
      codes: ACCOUNT_REQUEST,
      sample: sampleParameters(fileParameters),
    },
    [rangesFilePath(list)]: {
      tag: list.title,
      operationId: `export_ranges_of_${list.name}_csv`,
      summary: `All ranges of ${things} as CSV`,
      description: `${about(list)} All of them, from one snapshot; \`X-Total-Count\` says how many. ${QUERY_TOO}`,
      parameters: fileParameters.map(inQuery),
      answers: answersOf(
        `All ranges of the ${things} that match, from one snapshot.`,
        FILE_HEADERS.filter((name) => name !== 'Link'),
        { [FILE_TYPES.csv]: file },
      ),
      codes: FILE_REQUEST,
      sample: sampleParameters(fileParameters),
    },
  };
}
