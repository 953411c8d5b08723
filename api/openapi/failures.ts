// What can befall a request: the problems of each operation as answers, with an example of each.

import { lists } from '../contract/contract.ts';
import { PROBLEM_TYPE, Problem, type ProblemCode, problems } from '../contract/problems.ts';
import { QueryParser } from '../contract/query-parser.ts';
import type { Answer, Example } from './answers.ts';
import { ACCOUNT_HEADERS, headerReferences, LIST_HEADERS, REQUEST_ID, type Reference } from './headers.ts';
import { SCHEMAS } from './schemas.ts';

/** What can befall any request, before its parameters are read. */
export const ANY_REQUEST: readonly ProblemCode[] = [
  'bad-request',
  'request-timeout',
  'content-too-large',
  'uri-too-long',
  'headers-too-large',
  'internal',
];

/** What can befall a request about an account that reads no page: for facets, a file, the account itself. */
export const ACCOUNT_REQUEST: readonly ProblemCode[] = [
  'invalid-parameter',
  ...ANY_REQUEST,
  'unauthenticated',
  'not-acceptable',
  'rate-limited',
  'unavailable',
];

/** The same for a file, whose address says the media type. */
export const FILE_REQUEST: readonly ProblemCode[] = ACCOUNT_REQUEST.filter(
  (code) => code !== 'not-acceptable',
);

/** What can befall the request for one item. */
export const ITEM_REQUEST: readonly ProblemCode[] = [...ACCOUNT_REQUEST, 'not-found'];

/** What can befall the request for a list. */
export const LIST_REQUEST: readonly ProblemCode[] = [...ACCOUNT_REQUEST, 'invalid-cursor'];

/** What can befall the request for changes. */
export const CHANGES_REQUEST: readonly ProblemCode[] = [...LIST_REQUEST, 'changes-gone'];

/** What can befall any request about an account: these answers are shared. */
const SHARED: readonly ProblemCode[] = [...CHANGES_REQUEST, 'not-found'];

const ANY_PROBLEM_HEADERS = ['X-Request-Id', 'Cache-Control'];
const PROBLEM_HEADERS: Partial<Record<ProblemCode, readonly string[]>> = {
  'invalid-parameter': LIST_HEADERS,
  'invalid-cursor': LIST_HEADERS,
  unauthenticated: [...ANY_PROBLEM_HEADERS, 'Vary', 'Accept-Query', 'WWW-Authenticate'],
  'not-acceptable': LIST_HEADERS,
  'not-found': ACCOUNT_HEADERS,
  'changes-gone': [...LIST_HEADERS, 'Link'],
  'rate-limited': [...LIST_HEADERS, 'Retry-After'],
  internal: LIST_HEADERS,
  unavailable: [...LIST_HEADERS, 'Retry-After'],
};

/** What a problem says in its examples, where its `about` would not do. */
const DETAILS: Partial<Record<ProblemCode, readonly string[]>> = {
  'bad-request': ['The request has two Host headers.'],
  unauthenticated: [
    'The API token is missing: send it as `Authorization: Bearer lc_…`.',
    'The API token is malformed: one of its letters and digits is wrong or missing.',
    'The API token is not valid: it is unknown, has expired or was revoked.',
  ],
  'not-found': ['There is no such virtual number on this account.'],
  'changes-gone': [
    'The token is older than the changes that are retained.',
    'The list was rebuilt at once since this token.',
    'The database was restored from a backup that is older than this token.',
  ],
  'content-too-large': ['GET takes no body here.'],
  'rate-limited': ['This token may ask 600 times a minute. Try again in 17 seconds.'],
  internal: ['Something went wrong on our side. Quote the request_id to the operator.'],
  unavailable: ['The database cannot be reached just now, or has too much to do. Try again in a moment.'],
};

/** What the parser itself says to two faults at once. */
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

/** Examples of a problem by name: its code, numbered from the second on. */
function problemExamples(code: ProblemCode, max_page_size: number): [name: string, example: Example][] {
  return problemsOf(code, max_page_size).map((problem, i, { length }) => [
    i === 0 ? code : `${code}-${i + 1}`,
    { summary: length === 1 ? problems[code].title : problem.message, value: problem.body(REQUEST_ID) },
  ]);
}

/** The error answers by status; the problems of one status share an answer. */
function problemAnswers(codes: readonly ProblemCode[], max_page_size: number): Record<string, Answer> {
  const answers: Record<string, Answer> = {};
  for (const status of new Set(codes.map((code) => problems[code].status))) {
    const same = codes.filter((code) => problems[code].status === status);
    answers[status] = {
      description: same.map((code) => `\`${PROBLEM_TYPE}${code}\`: ${problems[code].about}`).join('\n\n'),
      headers: headerReferences(same.flatMap((code) => PROBLEM_HEADERS[code] ?? ANY_PROBLEM_HEADERS)),
      content: {
        'application/problem+json': {
          schema: { $ref: `${SCHEMAS}Problem` },
          examples: Object.fromEntries(same.flatMap((code) => problemExamples(code, max_page_size))),
        },
      },
    };
  }
  return answers;
}

const problemName = (status: number | string) => `Problem${status}`;

/** The error answers that operations share, by name. */
export function sharedProblems(max_page_size: number): Record<string, Answer> {
  const answers = Object.entries(problemAnswers(SHARED, max_page_size));
  return Object.fromEntries(answers.map(([status, answer]) => [problemName(status), answer]));
}

/** The error answers of an operation, where possible as references to the shared ones. */
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
