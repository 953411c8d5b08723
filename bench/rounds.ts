// One system after the other: each job of each, round after round, so that whatever else the machine
// does meets all alike. It does not know what takes part.

import type { Deployment } from './deployment.ts';
import type { Figures, Measured } from './goals.ts';
import { type Etags, type Job, PATH, requestsOf } from './jobs.ts';
import { type Load, load, type Request, type Round } from './load.ts';
import type { Running } from './running.ts';
import { median } from './table.ts';

/**
 * Answers of each job that are looked at before it counts; enough that every system has seen every large
 * account.
 */
const LOOKED_AT = 200;

/** A server that takes part, and the accounts that it serves. */
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

function figuresOf(rounds: readonly Round[]): Figures {
  const middle = (name: keyof Round) => median(rounds.map((round) => round[name]));
  return {
    rate: middle('rate'),
    p50: middle('p50'),
    p99: middle('p99'),
    processor: middle('processor'),
    failed: rounds.reduce((sum, { failed }) => sum + failed, 0),
  };
}

/** What an answer says, whichever system gives it: the total and which items, or that nothing has changed. */
async function saying(
  server: Running,
  { path, headers }: Request,
): Promise<{ status: number; says: string }> {
  const answer = await fetch(server.url + path, { headers });
  const { status } = answer;
  const text = await answer.text();
  if (status !== 200) return { status, says: '' };
  const { total, data } = JSON.parse(text) as { total: number; data: { id: number }[] };
  return { status, says: `${total}: ${data.map(({ id }) => id).join()}` };
}

/**
 * Sends the same to every system and compares.
 * @throws {Error} when one answers otherwise than another who serves the same accounts.
 */
export async function mustAgree(entrants: readonly Entrant[], jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) {
    const first = new Map<string, string>();
    for (const { name, server, deployment, etags } of entrants.filter((one) => one.asks(job))) {
      for (const request of requestsOf(job, deployment, etags, 0, LOOKED_AT)) {
        const { status, says } = await saying(server, request);
        const key = `${request.headers['authorization']} ${request.path}`;
        const expected = first.get(key) ?? says;
        first.set(key, says);
        if (status === job.status && says === expected) continue;
        throw new Error(`${job.name} ${request.path}: ${name} says ${status} ${says}, not ${expected}`);
      }
    }
  }
}

/** The figures of every job, by system. */
export async function measureRounds(entrants: readonly Entrant[], terms: Terms): Promise<Measured> {
  const seen = new Map<string, Map<string, Round[]>>();
  for (let round = 0; round < terms.rounds; round++) {
    // There and back, so that no system always follows the same other.
    const there = round % 2 === 0;
    const turns = there ? entrants : entrants.toReversed();
    for (const job of there ? terms.jobs : terms.jobs.toReversed()) {
      const byName = seen.get(job.name) ?? new Map<string, Round[]>();
      seen.set(job.name, byName);
      for (const { name, server, deployment, etags } of turns.filter((one) => one.asks(job))) {
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
      new Map([...byName].map(([name, rounds]) => [name, figuresOf(rounds)])),
    ]),
  );
}

/** Headers that are each server's own. */
const OF_A_SERVER = ['connection', 'content-length', 'date', 'keep-alive'];

/** The tags of the first pages of all small accounts, and the headers of one of these pages. */
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
    headers = Object.fromEntries([...answer.headers].filter(([name]) => !OF_A_SERVER.includes(name)));
    etags.set(id, answer.headers.get('etag') ?? '');
  }
  return { etags, headers };
}
