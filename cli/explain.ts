// Errors for people: what happened and what to do, with options in place of parameters.

import { visible } from '@linecard/client/contract/printable';
import { type Fault, Problem } from '@linecard/client/contract/problems';
import { optionName } from './options.ts';
import { Failed, WrongUsage } from './outcome.ts';

const FAILED = 1;
const WRONG_USAGE = 2;
/** From this status on, the operator's log has an entry. */
const LOGGED_STATUS = 500;

export interface Explanation {
  readonly message: string;
  readonly exitStatus: 1 | 2;
}

const ADVICE: Readonly<Record<string, string>> = {
  unauthenticated: 'Sign in again with `linecard login`, or look at LINECARD_TOKEN where it is set.',
  redirected: 'Sign in again with `linecard login` and that address.',
  internal: 'Try again in a moment. If it stays, report it to your provider.',
};

/** Nobody reads more. */
const MOST_CHARACTERS = 2_000;
const MOST_FAULTS = 20;
const PART_OF_WORD = /[\w-]/;

/** The name of a parameter for the reader. */
type Naming = (parameter: string) => string;
const asOption: Naming = (parameter) => `--${parameter === 'fields' ? 'columns' : optionName(parameter)}`;

function shortened(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}…`;
}

/** A server's text as one line, no longer than anybody reads. */
export const oneLine = (text: string) => visible(shortened(text));

/** Replaces a parameter in a server's sentence. Both come from outside, so neither may become a pattern. */
function inOptions(detail: string, parameter: string, named: Naming): string {
  const texts: string[] = [];
  let from = 0;
  for (let at = detail.indexOf(parameter); at >= 0; at = detail.indexOf(parameter, from)) {
    const end = at + parameter.length;
    const isPart = [detail[at - 1], detail[end]].some((neighbour = '') => PART_OF_WORD.test(neighbour));
    texts.push(detail.slice(from, at), isPart ? parameter : named(parameter));
    from = end;
  }
  return texts.join('') + detail.slice(from);
}

/** One line for each fault. */
function faultLines(faults: readonly Fault[], named: Naming): string[] {
  const lines = faults.slice(0, MOST_FAULTS).map(({ parameter, detail }) => {
    const sentence = shortened(detail);
    return visible(parameter === '' ? sentence : inOptions(sentence, shortened(parameter), named));
  });
  const more = faults.length - lines.length;
  return more > 0 ? [...lines, `And ${more} more.`] : lines;
}

function explainedProblem(problem: Problem, named: Naming): Explanation {
  const { code, status, faults, message, request_id } = problem;
  if (faults !== undefined && faults.length > 0) {
    return { message: faultLines(faults, named).join('\n'), exitStatus: WRONG_USAGE };
  }
  const isLogged = request_id !== undefined && status >= LOGGED_STATUS;
  const request = isLogged ? `\nRequest id: ${oneLine(request_id)}` : '';
  const advice = Object.hasOwn(ADVICE, code) ? `\n${ADVICE[code]}` : '';
  return {
    message: `${oneLine(message)}${advice}${request}`,
    exitStatus: FAILED,
  };
}

/** The message of a known error, the stack of any other. */
export function explain(error: unknown, named: Naming = asOption): Explanation {
  if (error instanceof Problem) return explainedProblem(error, named);
  if (error instanceof WrongUsage) return { message: error.message, exitStatus: WRONG_USAGE };
  if (error instanceof Failed) return { message: error.message, exitStatus: FAILED };
  const { code, message, stack } = error as NodeJS.ErrnoException;
  return { message: code === undefined ? (stack ?? String(error)) : message, exitStatus: FAILED };
}
