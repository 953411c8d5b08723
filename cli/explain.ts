// An error as a person reads it: what happened and what to do. Names of parameters become those of
// options.

import { Problem } from '@linecard/client/contract/problems';
import { optionName } from './options.ts';
import { Failed, WrongUsage } from './outcome.ts';
import { visible } from './printable.ts';

const FAILED = 1;
const WRONG_USAGE = 2;
/** From here on the operator has something to look for. */
const LOGGED_STATUS = 500;

export interface Explanation {
  readonly message: string;
  readonly exitStatus: 1 | 2;
}

const ADVICE: Readonly<Record<string, string>> = {
  unauthenticated: 'Sign in anew with `linecard login`, or look at LINECARD_TOKEN where it is set.',
  'not-found':
    'Perhaps the URL is not that of a Linecard: look at LINECARD_URL, or sign in anew with `linecard login`.',
  redirected: 'Sign in anew with `linecard login` and that address.',
  internal: 'Try again in a moment. If it stays, report it to your provider.',
};

/** A server's sentence about a parameter, in the words of the command line. */
function inOptions(detail: string, parameter: string): string {
  return detail.replaceAll(new RegExp(`\\b${parameter}\\b`, 'g'), `--${optionName(parameter)}`);
}

function explainedProblem(problem: Problem): Explanation {
  const { code, status, faults, message, request_id } = problem;
  if (faults !== undefined && faults.length > 0) {
    const lines = faults.map(({ parameter, detail }) =>
      parameter === '' ? detail : inOptions(detail, parameter),
    );
    return { message: lines.map(visible).join('\n'), exitStatus: WRONG_USAGE };
  }
  const isLogged = request_id !== undefined && status >= LOGGED_STATUS;
  const request = isLogged ? `\nRequest id: ${visible(request_id)}` : '';
  const advice = ADVICE[code] === undefined ? '' : `\n${ADVICE[code]}`;
  return {
    message: `${visible(message)}${advice}${request}`,
    exitStatus: FAILED,
  };
}

/** A sentence for an error that is known, the whole of any other. */
export function explain(error: unknown): Explanation {
  if (error instanceof Problem) return explainedProblem(error);
  if (error instanceof WrongUsage) return { message: error.message, exitStatus: WRONG_USAGE };
  if (error instanceof Failed) return { message: error.message, exitStatus: FAILED };
  const { code, message, stack } = error as NodeJS.ErrnoException;
  return { message: code === undefined ? (stack ?? String(error)) : message, exitStatus: FAILED };
}
