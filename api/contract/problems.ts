// Every error of Linecard (docs/generated/problems.md): one table of codes, and one class that the
// server throws and the client receives.

/** `about` is the sentence in the reference. */
export const problems = {
  'invalid-parameter': {
    status: 400,
    title: 'Invalid query parameter',
    about:
      'One or more faults in the query string. `errors` has one entry for each of the first 20, and `detail` says how many there are: fix them all in one go.',
  },
  'invalid-cursor': {
    status: 400,
    title: 'Invalid cursor',
    about:
      'The cursor, or the token of changes, was altered, or belongs to other filters, another order, another list or another account. Start again from the first page.',
  },
  'bad-request': {
    status: 400,
    title: 'Malformed request',
    about: 'What arrived is not well-formed HTTP, for example two `Host` headers. The connection is closed.',
  },
  unauthenticated: {
    status: 401,
    title: 'Authentication needed',
    about:
      'The token is missing, malformed, or not valid (unknown, expired or revoked). For an access token of an identity provider, `detail` names the check that it fails.',
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    about:
      'The token has limits: it may not see this list, or charges (`errors` has the parameter that names one), it may not read this account, or it may not be used from this address. Intake: it is for something else, or not for these accounts.',
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    about: 'There is no such path, or no such item on the account.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    about: 'The path exists, the method does not; `Allow` names those that do.',
  },
  'not-acceptable': {
    status: 406,
    title: 'Not acceptable',
    about: 'None of the media types in `Accept` can be served here.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request timeout',
    about: 'The request did not arrive within 10 seconds. The connection is closed.',
  },
  'out-of-order': {
    status: 409,
    title: 'Out of order',
    about:
      'Intake: the `Linecard-Sequence` is not newer than the last one of that `Linecard-Feed` that was committed. Nothing was changed.',
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    about:
      'Intake: it cannot be done to what is there: an account of that id exists already, or others are below it. Nothing was changed.',
  },
  'changes-gone': {
    status: 410,
    title: 'Changes gone',
    about:
      'What has changed since the token can no longer be reported: it is older than the changes that are retained, the list was rebuilt at once, or the database was restored from a backup. Take the whole list again.',
  },
  'content-too-large': {
    status: 413,
    title: 'Content too large',
    about:
      'The body is larger than this operation takes: 1 MiB for QUERY, 1 GiB for intake once unpacked, and nothing for any other.',
  },
  'uri-too-long': { status: 414, title: 'URI too long', about: 'The URL is longer than 64 KiB.' },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    about: 'The body is of a type that this operation does not take.',
  },
  rejected: {
    status: 422,
    title: 'Rejected',
    about:
      'Intake: the rows have faults, or are not as many as expected, and nothing was changed. `errors` has the `line`, the `column` and the `detail` of the first 100 faults, and `total` is their number. For a JSON body, `errors` has the `member` and the `detail` of every fault.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    about: 'The token has spent its requests for now; `Retry-After` says how many seconds to wait.',
  },
  'headers-too-large': {
    status: 431,
    title: 'Headers too large',
    about: 'The headers together are larger than 16 KiB.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    about: 'Our fault. The body says nothing of it; the `request_id` leads the operator to the log.',
  },
  unavailable: {
    status: 503,
    title: 'Unavailable',
    about:
      'The database cannot be reached just now, or has too much to do; try again after `Retry-After` seconds.',
  },
} as const satisfies Record<string, { status: number; title: string; about: string }>;

export type ProblemCode = keyof typeof problems;

/** Problems of the client itself, where no valid answer came. */
export const clientProblems = {
  network: { about: 'No answer came: the server cannot be reached, or the connection was lost.' },
  timeout: { about: 'Nothing arrived for `timeout_ms` milliseconds.' },
  aborted: { about: 'Your `AbortSignal` ended it; its reason is the `cause`.' },
  'broken-off': { about: 'The answer ended early. What arrived of it is not the complete list.' },
  redirected: {
    about: 'The address answers with a redirect, which is not followed. The message says where to.',
  },
  'unexpected-answer': {
    about:
      'The answer is not one that Linecard gives: perhaps `url` leads to something else, or a proxy answered.',
  },
  'endless-list': { about: 'The pages go in circles, or there are far more of them than the totals allow.' },
  'copy-differs': {
    about:
      'The copy does not hold as many items as the list, even after it was rebuilt: something else writes to it, or one of its functions is wrong.',
  },
  'webhook-unsigned': {
    about: 'A header of the signature is missing or malformed: nobody signed this request.',
  },
  'webhook-forged': {
    about:
      'No signature is of this secret and this body: use the body as it came, and the secret of this endpoint.',
  },
  'webhook-expired': {
    about:
      'The message was signed more than 5 minutes ago, or ahead of the clock: somebody may repeat a recorded one.',
  },
  'webhook-unreadable': { about: 'The message is genuine, and not one of this version.' },
  'invalid-option': { about: 'An option of the client or of a call is not usable.' },
} as const satisfies Record<string, { about: string }>;

export type ClientProblemCode = keyof typeof clientProblems;

export const PROBLEM_TYPE = 'urn:linecard:problem:';

export interface Fault {
  parameter: string;
  detail: string;
  /** The value that was sent, where it helps. */
  value?: string;
}

/** `application/problem+json`, RFC 9457. */
export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  detail: string;
  request_id: string;
  errors?: Fault[];
}

export interface ProblemMore {
  readonly status?: number;
  readonly faults?: readonly Fault[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly request_id?: string | undefined;
  readonly retry_after?: number | undefined;
  /** Further members of the body (RFC 9457, section 3.2). */
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * The one error class: the server throws and sends it, the client receives and throws it. On the server, any
 * other error is a bug and is sent as `internal`.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** A server may have codes that this client does not know: distinguish those by `status`. */
  readonly code: ProblemCode | ClientProblemCode | (string & {});
  /** The HTTP status of the answer; 0 for a problem of the client itself, see `clientProblems`. */
  readonly status: number;
  /** Every fault of the request, for `invalid-parameter`. */
  readonly faults: readonly Fault[] | undefined;
  /** Headers of the answer, such as `Allow` or `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;
  /** On the client: the operator finds the request in the log by this id. */
  readonly request_id: string | undefined;
  /** On the client: seconds to wait before the next attempt, if the answer says. */
  readonly retry_after: number | undefined;
  readonly #extensions: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ProblemCode | ClientProblemCode, detail: string, more: ProblemMore = {}) {
    super(detail, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.status = more.status ?? (Object.hasOwn(problems, code) ? problems[code as ProblemCode].status : 0);
    this.faults = more.faults;
    this.headers = more.headers ?? {};
    this.request_id = more.request_id;
    this.retry_after = more.retry_after;
    this.#extensions = more.extensions;
  }

  body(request_id: string): ProblemBody {
    const body: ProblemBody = {
      type: PROBLEM_TYPE + this.code,
      title: problems[this.code as ProblemCode].title,
      status: this.status,
      detail: this.message,
      request_id,
    };
    if (this.faults !== undefined) body.errors = [...this.faults];
    return this.#extensions === undefined ? body : { ...body, ...this.#extensions };
  }
}

/** The first faults are reported one by one, the others counted. */
export const MAX_REPORTED_FAULTS = 20;
export const MAX_COUNTED_FAULTS = 1_000;

/**
 * @param total how many faults there are, where not all of them are given
 * @param note a sentence for all of them
 * @param isPart whether not all was read, so that there may be more
 */
export function invalidParameter(
  faults: readonly Fault[],
  total = faults.length,
  note?: string,
  isPart = total >= MAX_COUNTED_FAULTS,
): Problem {
  const first = faults[0]?.detail ?? '';
  const reported = faults.slice(0, MAX_REPORTED_FAULTS);
  const each = reported.length < total ? `the first ${reported.length}` : 'each';
  const number = isPart ? `${total} or more` : `${total}`;
  const all = total === 1 ? first : `${number} faults, ${each} in \`errors\`. The first: ${first}`;
  const detail = note === undefined ? all : `${all} ${note}`;
  return new Problem('invalid-parameter', detail, { faults: reported });
}
