// The requests, as data. In a round, a job sends the same requests in the same order to every system; the
// next round has others.

import { type BenchAccount, COUNTRIES, type Kind, searchable } from './data.ts';
import type { Deployment } from './deployment.ts';
import type { Request } from './load.ts';

export const PATH = '/api/v1/did/me';
const REQUESTS_PER_ROUND = 20_000;
const MIN_SEARCH = 3;
const MAX_SEARCH = 6;

type Random = (below: number) => number;

/** The entity tag of each small account's first page, read before the rounds. */
export type Etags = ReadonlyMap<string, string>;

export interface Job {
  readonly name: string;
  readonly kind: Kind;
  path(random: Random, account: BenchAccount): string;
  /** Whether clients have the answer, which is then 304. */
  readonly conditional?: true;
  /** Whether only Linecard answers it. */
  readonly own?: true;
}

function countryPair(random: Random): string {
  const pair = [COUNTRIES[random(4)], COUNTRIES[4 + random(4)]];
  return pair.map((code) => `country_codes=${code}`).join('&');
}

function searchIn(account: BenchAccount, random: Random): string {
  const { did, comment } = searchable(account.first + random(account.numbers));
  const text = random(2) === 0 ? did.slice(1) : comment;
  const length = MIN_SEARCH + random(MAX_SEARCH - MIN_SEARCH + 1);
  const start = random(text.length - length + 1);
  const cut = text.slice(start, start + length);
  // Linecard trims white space, which would shorten the search, and treats leading zeros as a prefix, which
  // the peers do not.
  return cut.trim() === cut && !cut.startsWith('0') ? cut : searchIn(account, random);
}

/** What each is, is in docs/performance.md. */
// biome-ignore format: a table
export const JOBS: readonly Job[] = [
  { name: 'J1', kind: 'small', path: () => PATH },
  { name: 'J2', kind: 'ten_thousand', path: (random) => `${PATH}?${countryPair(random)}&sort_by=next_payment_at&sort_order=desc&page=3` },
  { name: 'J3', kind: 'ten_thousand', path: (random, account) => `${PATH}?q=${encodeURIComponent(searchIn(account, random))}` },
  { name: 'J4', kind: 'ten_thousand', path: () => `${PATH}?page=1000` },
  { name: 'J6', kind: 'huge', path: () => PATH },
  { name: 'J7', kind: 'small', path: () => PATH, conditional: true },
  { name: 'J8', kind: 'small', path: () => `${PATH}/changes?page_size=10`, own: true },
];

function randomFrom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export function requestsOf(
  job: Job,
  { accounts, tokens }: Deployment,
  etags: Etags,
  round: number,
  count = REQUESTS_PER_ROUND,
): Request[] {
  const random = randomFrom(round + 1);
  const candidates = accounts.filter(({ kind }) => kind === job.kind);
  return Array.from({ length: count }, () => {
    const account = candidates[random(candidates.length)] as BenchAccount;
    const headers: Record<string, string> = { authorization: tokens.get(account.id) ?? '' };
    if (job.conditional === true) headers['if-none-match'] = etags.get(account.id) ?? '';
    return { path: job.path(random, account), headers };
  });
}
