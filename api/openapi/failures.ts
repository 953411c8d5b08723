// The problems of each operation as answers, with examples.

import { lists } from '../contract/contract.ts';
import { PROBLEM_TYPE, Problem, type ProblemCode, problems } from '../contract/problems.ts';
import { QueryParser } from '../contract/query-parser.ts';
import type { Answer, Example } from './answers.ts';
import { ACCOUNT_HEADERS, headerReferences, LIST_HEADERS, REQUEST_ID, type Reference } from './headers.ts';
import { problemSchema } from './problem-schema.ts';
import { refTo } from './schemas.ts';

/** For every request, before its parameters are read. */
export const ANY_REQUEST: readonly ProblemCode[] = [
  'bad-request',
  'request-timeout',
  'content-too-large',
  'uri-too-long',
  'headers-too-large',
  'internal',
];

/** For facets, files and the account. */
export const ACCOUNT_REQUEST: readonly ProblemCode[] = [
  'invalid-parameter',
  ...ANY_REQUEST,
  'unauthenticated',
  'forbidden',
  'not-acceptable',
  'rate-limited',
  'unavailable',
];

/** For a file, whose path gives the media type. */
export const FILE_REQUEST: readonly ProblemCode[] = ACCOUNT_REQUEST.filter(
  (code) => code !== 'not-acceptable',
);

export const ITEM_REQUEST: readonly ProblemCode[] = [...ACCOUNT_REQUEST, 'not-found'];

export const LIST_REQUEST: readonly ProblemCode[] = [...ACCOUNT_REQUEST, 'invalid-cursor'];

export const CHANGES_REQUEST: readonly ProblemCode[] = [...LIST_REQUEST, 'changes-gone'];

/** Shared by all requests about an account. */
const SHARED: readonly ProblemCode[] = [...CHANGES_REQUEST, 'not-found'];

const ANY_PROBLEM_HEADERS = ['X-Request-Id', 'Cache-Control'];
const PROBLEM_HEADERS: Partial<Record<ProblemCode, readonly string[]>> = {
  'invalid-parameter': LIST_HEADERS,
  'invalid-cursor': LIST_HEADERS,
  unauthenticated: [...ANY_PROBLEM_HEADERS, 'Vary', 'Accept-Query', 'WWW-Authenticate'],
  forbidden: LIST_HEADERS,
  'not-acceptable': LIST_HEADERS,
  'not-found': ACCOUNT_HEADERS,
  'changes-gone': LIST_HEADERS,
  'rate-limited': [...LIST_HEADERS, 'Retry-After'],
  internal: LIST_HEADERS,
  unavailable: [...LIST_HEADERS, 'Retry-After'],
};

/** Details of example problems whose `about` does not suit. */
const DETAILS: Partial<Record<ProblemCode, readonly string[]>> = {
  'bad-request': ['The request has two Host headers.'],
  unauthenticated: [
    'The API token is missing. Send it as `Authorization: Bearer lc_…`.',
    'The API token is malformed: it is cut off, with 30 of its 45 characters. Copy all of it.',
    'The API token is not valid: it is unknown, has expired or was revoked.',
  ],
  forbidden: [
    'This token may not see virtual numbers.',
    'This token may not see any charge, and sort_by asks for one.',
    'This token may not be used from this address.',
    'This token may not read the account C7: it reads its own account and, with the reach tree, enabled accounts below it.',
  ],
  'not-found': [
    'There is no such virtual number on this account. Look one up by its number with /api/v1/did/me?dids=+442079460018.',
  ],
  'changes-gone': [
    'The token is older than the changes that are retained.',
    'The list was rebuilt at once since this token.',
    'The fields of the list have changed since this token.',
    'The database was restored from a backup that is older than this token.',
  ],
  'content-too-large': ['GET takes no body here.'],
  'rate-limited': ['This token is limited to 600 requests per minute. Try again in 17 seconds.'],
  internal: ['An internal error occurred. Give the request_id to the operator.'],
  unavailable: ['The database is unreachable or overloaded at the moment. Try again later.'],
};

/** The parser's own words for two faults. */
function invalidParameter(max_page_size: number): Problem {
  try {
    new QueryParser(lists.virtual_numbers, max_page_size).ofString('page_size=0&sort_order=descending');
  } catch (error) {
    if (error instanceof Problem) return error;
  }
  throw new Error('the parser took a page size of 0');
}

function problemsOf(code: ProblemCode, max_page_size: number): Problem[] {
  if (code === 'invalid-parameter') return [invalidParameter(max_page_size)];
  const details = DETAILS[code] ?? [problems[code].about.replaceAll('`', '')];
  return details.map((detail) => new Problem(code, detail));
}

/** By problem code, numbered from the second on. */
function problemExamples(code: ProblemCode, max_page_size: number): [name: string, example: Example][] {
  return problemsOf(code, max_page_size).map((problem, i, { length }) => [
    i === 0 ? code : `${code}-${i + 1}`,
    { summary: length === 1 ? problems[code].title : problem.message, value: problem.body(REQUEST_ID) },
  ]);
}

/** By status; problems of one status share an answer. */
function problemAnswers(codes: readonly ProblemCode[], max_page_size: number): Record<string, Answer> {
  const answers: Record<string, Answer> = {};
  for (const status of new Set(codes.map((code) => problems[code].status))) {
    const same = codes.filter((code) => problems[code].status === status);
    answers[status] = {
      description: same.map((code) => `\`${PROBLEM_TYPE}${code}\`: ${problems[code].about}`).join('\n\n'),
      headers: headerReferences([
        'Link',
        ...same.flatMap((code) => PROBLEM_HEADERS[code] ?? ANY_PROBLEM_HEADERS),
      ]),
      content: {
        'application/problem+json': {
          schema: refTo(problemSchema),
          examples: Object.fromEntries(same.flatMap((code) => problemExamples(code, max_page_size))),
        },
      },
    };
  }
  return answers;
}

const problemName = (status: number | string) => `Problem${status}`;

export function sharedProblems(max_page_size: number): Record<string, Answer> {
  const answers = Object.entries(problemAnswers(SHARED, max_page_size));
  return Object.fromEntries(answers.map(([status, answer]) => [problemName(status), answer]));
}

/** As references to the shared answers where possible. */
export function failures(
  codes: readonly ProblemCode[],
  max_page_size: number,
): Record<string, Answer | Reference> {
  const withStatus = (all: readonly ProblemCode[], status: string) =>
    all.filter((code) => String(problems[code].status) === status).length;
  const answers = Object.entries(problemAnswers(codes, max_page_size)).map(([status, answer]) => {
    const shared = withStatus(codes, status) === withStatus(SHARED, status);
    return [status, shared ? { $ref: `#/components/responses/${problemName(status)}` } : answer] as const;
  });
  return Object.fromEntries(answers);
}
