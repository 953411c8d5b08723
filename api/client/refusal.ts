// An answer that is no success, as a problem: by Linecard's own problem body where it has one, else by its
// status.

import { type Fault, PROBLEM_TYPE, Problem, type ProblemCode } from '../contract/problems.ts';
import { retryAfterOf } from './retry.ts';
import { isObject } from './shape.ts';

/** The media type of every error answer. */
const PROBLEM_JSON = 'application/problem+json';
/** For an answer that is not Linecard's: the problem that is the only one with its status. */
const FOREIGN: Readonly<Record<number, ProblemCode>> = {
  401: 'unauthenticated',
  404: 'not-found',
  405: 'method-not-allowed',
  429: 'rate-limited',
  500: 'internal',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
};

/** Where an answer comes from that Linecard would not give. */
export const NOT_OURS = 'perhaps `url` leads to something else, or a proxy speaks';

interface ProblemFields {
  readonly code: string;
  readonly detail: string;
  readonly faults?: readonly Fault[];
  readonly request_id?: string;
}

function isFault(value: unknown): value is Fault {
  if (!isObject(value)) return false;
  const { parameter, detail, value: sent = '' } = value;
  return [parameter, detail, sent].every((text) => typeof text === 'string');
}

/** The members of a problem body, where it is one. */
function problemFields({ headers }: Response, text: string): ProblemFields | undefined {
  if (headers.get('content-type')?.startsWith(PROBLEM_JSON) !== true) return undefined;
  try {
    const { type, detail, errors, request_id } = JSON.parse(text) as Record<string, unknown>;
    if (typeof type !== 'string' || !type.startsWith(PROBLEM_TYPE) || typeof detail !== 'string')
      return undefined;
    return {
      code: type.slice(PROBLEM_TYPE.length),
      detail,
      ...(Array.isArray(errors) && { faults: errors.filter(isFault) }),
      ...(typeof request_id === 'string' && { request_id }),
    };
  } catch {
    return undefined;
  }
}

/** The request, for what the answer leaves out. */
interface RefusedRequest {
  /** `https://host/prefix` */
  readonly base: string;
  readonly request_id: string | undefined;
  /** Takes out of a text what must not be seen. */
  readonly hide: (text: string) => string;
}

/** The problem that an answer stands for. */
export function refusalOf(
  response: Response,
  text: string,
  { base, hide, ...request }: RefusedRequest,
): Problem {
  const { status, headers } = response;
  const request_id = headers.get('x-request-id') ?? request.request_id;
  const more = { status, request_id, retry_after: retryAfterOf(headers) };
  const own = problemFields(response, hide(text));
  // A code that this client does not know yet is passed on as it is.
  if (own !== undefined) return new Problem(own.code as ProblemCode, own.detail, { ...more, ...own });
  const code = FOREIGN[status] ?? 'unexpected-answer';
  return new Problem(code, `${base} answered ${status}, but not in Linecard's words: ${NOT_OURS}.`, more);
}
