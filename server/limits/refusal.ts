// Turns limits into problems for callers and into rows for the documentation.

import { Problem, type ProblemCode, problems } from '@linecard/client/contract/problems';
import { customersLimits, type Exceeded, type Limit } from './limits.ts';

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

function sentenceOf({ what, unit, key, sentence, ...limit }: Limit, exceeded: Exceeded): string {
  const maximum = limit[exceeded] ?? 0;
  if (sentence !== undefined) return sentence(maximum);
  const who = exceeded === 'each' ? `This ${key}` : 'The service';
  // A request that exceeds a limit of bytes may come when fewer are in use.
  const has =
    unit === 'bytes'
      ? `would have more than ${amount(maximum, unit)} of`
      : `already has ${amount(maximum, unit)}`;
  return `${who} ${has} ${what}, which is the maximum.`;
}

function codeOf({ beyond }: Limit, exceeded: Exceeded): ProblemCode {
  return (typeof beyond === 'object' ? beyond[exceeded] : undefined) ?? 'unavailable';
}

export function refusal(limit: Limit, exceeded: Exceeded, seconds = limit.retrySeconds ?? 1): Problem {
  const { advice = 'Try again' } = limit;
  const detail = `${sentenceOf(limit, exceeded)} ${advice} in ${seconds} seconds.`;
  return new Problem(codeOf(limit, exceeded), detail, { headers: { 'retry-after': String(seconds) } });
}

function beyondOf(limit: Limit, exceeded: Exceeded): string {
  if (limit[exceeded] === undefined) return '';
  return typeof limit.beyond === 'string' ? limit.beyond : `\`${problems[codeOf(limit, exceeded)].status}\``;
}

export function rowOf(limit: Limit) {
  const { what, note, unit, key, each, total } = limit;
  return {
    what: note === undefined ? what : `${what} (${note})`,
    each: each === undefined ? '' : `${amount(each, unit)} per ${key}`,
    total: total === undefined ? '' : amount(total, unit),
    beyondEach: beyondOf(limit, 'each'),
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
