// Measures systems one after the other in each round, so that other load on the machine affects all of them
// alike.

import type { Deployment } from './deployment.ts';
import type { Measured, Statistics } from './goals.ts';
import { type Etags, type Job, PATH, requestsOf } from './jobs.ts';
import { type Load, load, type Request, type Round } from './load.ts';
import type { Running } from './running.ts';
import { median } from './table.ts';

/** Answers compared per job before it is measured: enough that every system has read all large accounts. */
const COMPARED_ANSWERS = 200;

export interface Entrant {
  readonly name: string;
  readonly server: Running;
  readonly deployment: Deployment;
  readonly etags: Etags;
  asks(job: Job): boolean;
}

export interface Terms {
  readonly jobs: readonly Job[];
  readonly rounds: number;
  readonly seconds: number;
  readonly load: Load;
}

function statisticsOf(rounds: readonly Round[]): Statistics {
  const middle = (name: keyof Round) => median(rounds.map((round) => round[name]));
  return {
    rate: middle('rate'),
    p50: middle('p50'),
    p99: middle('p99'),
    processor: middle('processor'),
    failed: rounds.reduce((sum, { failed }) => sum + failed, 0),
  };
}

interface Content {
  readonly status: number;
  /** The total and the ids of the items, whichever system it is from. */
  readonly items: string;
  /** Entity tag and links; empty for peers, which send none. */
  readonly headers: string;
}

async function contentOf(server: Running, request: Request): Promise<Content> {
  const answer = await fetch(server.url + request.path, { headers: request.headers });
  const { status } = answer;
  const text = await answer.text();
  const tag = answer.headers.get('etag');
  const headers = tag === null ? '' : `${tag} ${answer.headers.get('link')}`;
  if (status !== 200) return { status, items: '', headers };
  const { total, data } = JSON.parse(text) as { total: number; data: { id: number }[] };
  return { status, items: `${total}: ${data.map(({ id }) => id).join()}`, headers };
}

const agree = (one: Content, other: Content) =>
  one.items === other.items && (one.headers === other.headers || one.headers === '' || other.headers === '');

/**
 * Sends the same requests to every system and compares the answers.
 * @throws {Error} if two of them differ.
 */
export async function mustAgree(entrants: readonly Entrant[], jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) {
    const first = new Map<string, Content>();
    for (const { name, server, deployment, etags } of entrants.filter((one) => one.asks(job))) {
      for (const request of requestsOf(job, deployment, etags, 0, COMPARED_ANSWERS)) {
        const content = await contentOf(server, request);
        const key = `${request.headers['authorization']} ${request.path}`;
        const expected = first.get(key) ?? content;
        first.set(key, expected);
        if (content.status === (job.conditional ? 304 : 200) && agree(content, expected)) continue;
        const [answer, other] = [content, expected].map((one) => JSON.stringify(one));
        throw new Error(`${job.name} ${request.path}: ${name} answers ${answer}, not ${other}`);
      }
    }
  }
}

export async function measureRounds(entrants: readonly Entrant[], terms: Terms): Promise<Measured> {
  const seen = new Map<string, Map<string, Round[]>>();
  for (let round = 0; round < terms.rounds; round++) {
    // The order is reversed in every other round, so that no system always follows the same one.
    const isForward = round % 2 === 0;
    const ordered = isForward ? entrants : entrants.toReversed();
    for (const job of isForward ? terms.jobs : terms.jobs.toReversed()) {
      const byName = seen.get(job.name) ?? new Map<string, Round[]>();
      seen.set(job.name, byName);
      for (const { name, server, deployment, etags } of ordered.filter((one) => one.asks(job))) {
        const requests = requestsOf(job, deployment, etags, round);
        server.emptyLog();
        const one = await load(terms.load, server, requests, terms.seconds);
        byName.set(name, [...(byName.get(name) ?? []), one]);
      }
    }
    console.error(`Round ${round + 1} of ${terms.rounds} is done.`);
  }
  return new Map(
    [...seen].map(([job, byName]) => [
      job,
      new Map([...byName].map(([name, rounds]) => [name, statisticsOf(rounds)])),
    ]),
  );
}

/** Headers that a server writes itself, or that are of one answer. */
const OWN_HEADERS = 'connection content-length date etag keep-alive link ratelimit x-request-id'.split(' ');

/** The entity tags of the first pages of all small accounts, and the headers that they have in common. */
export async function firstPages(
  server: Running,
  { accounts, tokens }: Deployment,
): Promise<{ etags: Map<string, string>; headers: Record<string, string> }> {
  const etags = new Map<string, string>();
  let headers: Record<string, string> = {};
  for (const { id, kind } of accounts) {
    if (kind !== 'small') continue;
    const answer = await fetch(server.url + PATH, { headers: { authorization: tokens.get(id) ?? '' } });
    await answer.arrayBuffer();
    headers = Object.fromEntries([...answer.headers].filter(([name]) => !OWN_HEADERS.includes(name)));
    etags.set(id, answer.headers.get('etag') ?? '');
  }
  return { etags, headers };
}
