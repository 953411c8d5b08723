// Turns limits into problems for callers and into rows for the documentation.

import { Problem, type ProblemCode, problems } from '@linecard/client/contract/problems';
import { intakeLimits } from './intake-limits.ts';
import { customersLimits, type Full, type Limit, limits, shareOf } from './limits.ts';

const UNITS = [
  [1_073_741_824, 'GiB'],
  [1_048_576, 'MiB'],
  [1_024, 'KiB'],
] as const;

/** `16 MiB`, `10 seconds`, `4,000`. */
function amount(value: number, unit: Limit['unit']): string {
  if (unit !== 'bytes') return [value.toLocaleString('en'), unit ?? ''].join(' ').trim();
  const [size, name] = UNITS.find(([one]) => value >= one) ?? [1, 'bytes'];
  return `${Math.floor(value / size)} ${name}`;
}

function sentenceOf({ what, unit, key, sentence, ...limit }: Limit, exceeded: Full): string {
  const maximum = exceeded === 'share' ? shareOf(limit) : (limit[exceeded] ?? 0);
  if (sentence !== undefined) return sentence(maximum);
  const who = { each: `This ${key}`, share: 'This token', total: 'The service' }[exceeded];
  const why = exceeded === 'share' ? 'a quarter of what all share' : 'which is the maximum';
  // A request that exceeds a limit of bytes may come when fewer are in use.
  const has =
    unit === 'bytes'
      ? `would have more than ${amount(maximum, unit)} of`
      : `already has ${amount(maximum, unit)}`;
  return `${who} ${has} ${what}, ${why}.`;
}

function codeOf({ beyond }: Limit, exceeded: Full): ProblemCode {
  return (typeof beyond === 'object' ? beyond[exceeded] : undefined) ?? 'unavailable';
}

/** By what they limit: settings make copies of them. */
const NAMES = new Map(
  [...Object.entries<Limit>(intakeLimits), ...Object.entries<Limit>(limits)].map(([name, { what }]) => [
    what,
    `limit_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
  ]),
);
const exceeded = new WeakMap<Problem, string | undefined>();

/** Which limit a problem is about, as the log has it: `limit_requests`; `undefined` of any other problem. */
export const limitOf = (problem: Problem): string | undefined => exceeded.get(problem);

/** @param reason what the log knows the limit by. */
export function refusal(
  limit: Limit,
  full: Full,
  seconds = limit.retrySeconds ?? 1,
  reason = NAMES.get(limit.what),
): Problem {
  const { advice = 'Try again' } = limit;
  const wait = seconds === 1 ? '1 second' : `${seconds} seconds`;
  const detail = `${sentenceOf(limit, full)} ${advice} in ${wait}.`;
  const headers = { 'retry-after': String(seconds) };
  const problem = new Problem(codeOf(limit, full), detail, { headers });
  exceeded.set(problem, reason);
  return problem;
}

function beyondOf(limit: Limit, exceeded: Full): string {
  if (exceeded !== 'share' && limit[exceeded] === undefined) return '';
  return typeof limit.beyond === 'string' ? limit.beyond : `\`${problems[codeOf(limit, exceeded)].status}\``;
}

export function rowOf(limit: Limit) {
  const { what, note, unit, key, each, total, isShared } = limit;
  const perKey = each === undefined ? [] : [`${amount(each, unit)} per ${key}`];
  const perToken = isShared === true ? [`${amount(shareOf(limit), unit)} per token`] : [];
  return {
    what: note === undefined ? what : `${what} (${note})`,
    each: [...perKey, ...(key === 'token' ? [] : perToken)].join(', '),
    total: total === undefined ? '' : amount(total, unit),
    beyondEach: beyondOf(limit, isShared === true && each === undefined ? 'share' : 'each'),
    beyondTotal: beyondOf(limit, 'total'),
  };
}

/** What, how many and what beyond it, for the reference. `rateLimit` is the deployment's setting. */
export function referenceRows(
  rateLimit: number,
): readonly (readonly [what: string, each: string, beyond: string])[] {
  const { requests, ...others } = customersLimits;
  const rate: Limit[] = rateLimit === 0 ? [] : [{ ...requests, each: rateLimit }];
  return [...rate, ...Object.values(others)].map((limit) => {
    const { what, each, beyondEach } = rowOf(limit);
    return [what, each, beyondEach] as const;
  });
}
