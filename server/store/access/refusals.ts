// Why a request of an account is refused: a word for the log and the metrics. The answer says it in a
// sentence, and not more than its client may know.

import { Problem, type ProblemCode, type ProblemMore } from '@linecard/client/contract/problems';

/** Those of API tokens, of what limits a token, and of what a request names. */
export const REASONS = [
  'token_missing',
  'token_malformed',
  'token_unknown',
  'token_revoked',
  'token_expired',
  'token_purpose',
  'account_disabled',
  'account_header',
  'address',
  'list',
  'charges',
  'reach',
  'origin',
] as const;

/** One of an access token of an identity provider is the check that it fails. */
export type Reason = (typeof REASONS)[number] | `jwt_${string}`;

/** The token of a refused request, as far as it is known. */
export interface RefusedToken {
  readonly token_id: string;
  readonly account_id?: string | undefined;
  /** The client that an access token was issued to. */
  readonly client?: string | undefined;
}

interface RefusalMore extends ProblemMore {
  readonly token?: RefusedToken | undefined;
}

/** A refusal and its reason. */
export class Refusal extends Problem {
  readonly reason: Reason;
  readonly token: RefusedToken | undefined;

  constructor(code: ProblemCode, detail: string, reason: Reason, { token, ...more }: RefusalMore = {}) {
    super(code, detail, more);
    this.reason = reason;
    this.token = token;
  }
}
