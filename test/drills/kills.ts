// kill -9 before each write of an import and of a request to the intake, on both stores: what is there
// afterwards is the old list or the new one, copies that are kept by their changes agree with it, and the
// next import works.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../server/store/open.ts';
import { FEEDS, type Feed, nameOf, OLD_ROWS } from '../kit/feeds.ts';
import { aftermath, type Grounds, onCopy, openGrounds, seenAfter } from '../kit/grounds.ts';
import { atOnce, spread } from '../kit/many.ts';
import { query } from '../kit/postgres-server.ts';
import { endOf } from '../kit/program.ts';
import { importRows, SENT, targetOf, WORDS } from '../kit/random-imports.ts';
import { csv, ndjson } from '../kit/rows.ts';
import { reading } from '../kit/seen-lists.ts';
import { stores } from '../kit/service.ts';
import {
  type Calls,
  countCalls,
  hasStrace,
  type Injection,
  injectionsAt,
  LOG_BEGINS,
  startTraced,
  type Tracing,
} from '../kit/strace.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { type Drill, type DrillResult, ofSize, Tally } from './drill.ts';

/** What a command begins with once it has started, in the log of its calls. */
const LISTENS = 'The intake takes ';
const ADDRESS = /takes imports at (\S+)\. /;
const SEQUENCE = 1_207;
/** Of each victim; in full before every one of its writes. */
const MOST_KILLS = { short: 2, long: 12, full: Number.POSITIVE_INFINITY };
const ENDED = { short: 1, long: 8, full: 25 };
/** Enough that an import takes a while. */
const MANY_ROWS = 900;
const END_OTHERS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

const killsAt = (counts: ReturnType<typeof countCalls>) => injectionsAt(counts, 'signal=KILL');

interface Kill {
  readonly injection: Injection;
  /** While a service reads, which the log of the database then outlives. */
  readonly isRead: boolean;
}

/** Something that is killed: it ends with what the command ended with. */
interface Victim {
  readonly title: string;
  readonly feed: Feed;
  run(url: string, how: Tracing): Promise<number | string | null>;
  /** The calls before which it is killed, from a log of all. */
  kills(log: string): Injection[];
}

/** Killed at what it does from its start, or once the files are open. */
function importVictim(feed: Feed, folder: string, calls: Calls, isFromStart: boolean): Victim {
  const file = join(folder, `${feed.mode}.csv`);
  writeFileSync(file, csv(feed.rows));
  return {
    title: nameOf(feed),
    feed,
    run: (url, how) =>
      endOf(
        startTraced(['import', 'virtual-numbers', file, ...WORDS[feed.mode], '--database-url', url], how),
      ),
    kills: (log) => killsAt(countCalls(log, calls, isFromStart ? undefined : LOG_BEGINS)),
  };
}

/** A request is killed at what the intake does from its start, or from when it listens. */
function intakeVictim(feed: Feed, token: string, isFromStart: boolean): Victim {
  const [method] = SENT[feed.mode];
  return {
    title: `intake ${method}${feed.mode === 'replace-all' ? ' of all' : ''}`,
    feed,
    async run(url, how) {
      const words = ['intake', '--port', '0', '--log-level', 'silent', '--database-url', url];
      const intake = startTraced(words, how);
      const base = await intake.says(ADDRESS).then(
        ([, url]) => url,
        () => undefined,
      );
      if (base === undefined) return endOf(intake);
      const answer = await fetch(new URL(targetOf('virtual_numbers', feed.mode), base), {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/x-ndjson',
          'linecard-feed': 'drill',
          'linecard-sequence': String(SEQUENCE),
        },
        body: ndjson(feed.rows),
      })
        .then(async (one) => `${one.status} ${await one.text()}`)
        .catch(() => undefined);
      intake.child.kill('SIGTERM');
      const status = await endOf(intake);
      if (answer === undefined) return status;
      return answer.startsWith('200') ? 0 : answer;
    },
    kills: (log) => killsAt(countCalls(log, 'files', isFromStart ? undefined : LISTENS)),
  };
}

async function sequenceIn(url: string): Promise<number> {
  const [rows] = await reading(url, async (store) =>
    store.read({ text: 'select sequence from feeds', values: [] }),
  );
  return Number(rows[0]?.[0] ?? 0);
}

/** Kills it once; returns what is wrong then. */
const kill = (grounds: Grounds, victim: Victim, after: string, { injection, isRead }: Kill) =>
  onCopy(grounds, isRead, async (url, reader) => {
    const how = await victim.run(url, { injection });
    const sequence = await sequenceIn(url);
    const { faults, isNew } = await aftermath(grounds, [url, reader], victim.feed, after);
    if (how !== 'SIGKILL' && how !== 0) faults.push(`it ended with ${how}`);
    if (how === 0 && !isNew) faults.push('it said that it had come to its end');
    if (victim.title.startsWith('intake') && sequence > 0 !== isNew)
      faults.push('the sequence of the feed is not that of the list');
    return { faults, wasKilled: how === 'SIGKILL' };
  });

/** Where it can be killed, alone or while a service reads, whose calls then differ. */
const killsOf = (grounds: Grounds, victim: Victim, isRead: boolean): Promise<Kill[]> =>
  onCopy(grounds, isRead, async (url) => {
    const log = join(temporaryFolder(), 'calls');
    const whole = await victim.run(url, { log });
    if (whole !== 0) throw new Error(`${victim.title} does not come to its end: ${whole}`);
    return victim.kills(log).map((injection) => ({ injection, isRead }));
  });

async function killEverywhere(
  grounds: Grounds,
  victim: Victim,
  most: number,
  report: (line: string) => void,
): Promise<DrillResult> {
  const after = await seenAfter(grounds, victim.feed);
  const kills = await killsOf(grounds, victim, false);
  // What a client of a server does is the same with other clients.
  if (grounds.name === 'SQLite') kills.push(...(await killsOf(grounds, victim, true)));
  const tally = new Tally();
  let alive = 0;
  await atOnce(spread(kills, most), async (one) => {
    const { injection } = one;
    const { faults, wasKilled } = await kill(grounds, victim, after, one);
    const where = `${victim.title} killed before ${injection.call} ${injection.when}`;
    const fault = faults.length === 0 ? undefined : `${where}: ${faults.join('; ')}`;
    if (fault !== undefined) report(fault);
    if (wasKilled || fault !== undefined) tally.add(fault);
    else alive += 1;
  });
  const what = grounds.name === 'SQLite' ? 'write to a file' : 'message';
  const did = `${victim.title} on ${grounds.name}, killed before each ${what}, alone and with a reader`;
  return tally.result(
    grounds.name === 'SQLite' ? did : did.replace(/, alone.*/, ''),
    alive === 0 ? undefined : `${alive} more had come to their end`,
  );
}

/** The connection of an import is ended by the server at any time of it, all of its process. */
async function endBackends(grounds: Grounds, count: number): Promise<DrillResult> {
  const tally = new Tally();
  const feed: Feed = {
    mode: 'insert',
    rows: Array.from({ length: MANY_ROWS }, (_, i) => ({
      ...OLD_ROWS[i % 50],
      id: 1_000 + i,
      comment: 'many',
    })),
  };
  const after = await seenAfter(grounds, feed);
  let usualMs = 0;
  let ended = 0;
  for (let i = 0; i <= count; i++) {
    await onCopy(grounds, false, async (url) => {
      const store = await openStore(url, 'write');
      const begin = performance.now();
      const importing = importRows(store, feed).then(
        () => undefined,
        (error: unknown) => error as Error,
      );
      // The first is left alone, to see how long it takes.
      if (i > 0) {
        await sleep((usualMs * i) / count);
        await query(url, END_OTHERS);
      }
      const error = await importing;
      if (i === 0) usualMs = performance.now() - begin;
      await store.close();
      const { faults, isNew } = await aftermath(grounds, [url, undefined], feed, after);
      if (error === undefined && !isNew) faults.push('it was done, and the list is the old one');
      if (error !== undefined) ended += 1;
      tally.add(faults.length === 0 ? undefined : faults.join('; '));
    });
  }
  return tally.result(
    `imports whose backend is ended at any time, on ${grounds.name}`,
    `${ended} of them failed`,
  );
}

export const drill: Drill = {
  name: 'kills',
  proves: [
    'An import killed before any of its writes leaves the old list or the complete new one.',
    'So does a request to the intake, together with the sequence of its feed.',
    'A copy that applies the changes equals the list afterwards, or is refused and starts again.',
    'The next import works.',
  ],
  short: 'test/import/crash.long.test.ts',
  async run(size, report) {
    if (!hasStrace()) throw new Error('This needs strace, and that it may trace.');
    const most = ofSize(MOST_KILLS, size);
    const folder = temporaryFolder();
    const results: DrillResult[] = [];
    for (const kind of stores.slice(0, 2)) {
      const { name } = kind;
      const grounds = await openGrounds(kind);
      const calls = name === 'SQLite' ? 'files' : 'sending';
      const imports = FEEDS.map((feed, i) =>
        importVictim(feed, folder, calls, i === 0 || name === 'PostgreSQL'),
      );
      const requests = FEEDS.map((feed, i) => intakeVictim(feed, grounds.token, i === 0));
      const victims = name === 'SQLite' ? [...imports, ...requests] : imports;
      const chosen = size !== 'short' ? victims : victims.slice(-1);
      for (const victim of chosen) {
        const result = await killEverywhere(grounds, victim, most, report);
        report(`${result.did}: ${result.count}`);
        results.push(result);
      }
      if (name === 'PostgreSQL') results.push(await endBackends(grounds, ofSize(ENDED, size)));
      await grounds.close();
    }
    return results;
  },
};
