// A disk that is full or fails at each write of an import, and a lock that somebody else holds: a loud end,
// the old list or the new one, readers that go on, and a next import that works.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore } from '../../server/store/open.ts';
import { StoreUnavailable } from '../../server/store/store-errors.ts';
import { tables } from '../../server/store/tables.ts';
import { ACCOUNTS, FEEDS, type Feed, nameOf } from '../kit/feeds.ts';
import { aftermath, type Grounds, onCopy, openGrounds, seenAfter } from '../kit/grounds.ts';
import { atOnce, differenceOf } from '../kit/many.ts';
import { endOf } from '../kit/program.ts';
import { importRows, WORDS } from '../kit/random-imports.ts';
import { csv } from '../kit/rows.ts';
import { seenLists } from '../kit/seen-lists.ts';
import { type StoreKind, stores } from '../kit/service.ts';
import {
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

/** What a disk answers, to which calls; from one on, as a full one does, or once. */
const DISKS: readonly {
  readonly did: string;
  readonly calls: readonly string[];
  readonly fault: string;
  readonly isLasting: boolean;
}[] = [
  { did: 'a full disk', calls: ['pwrite64', 'ftruncate'], fault: 'error=ENOSPC', isLasting: true },
  { did: 'a disk that fails once', calls: ['pwrite64', 'ftruncate'], fault: 'error=EIO', isLasting: false },
  { did: 'an fsync that fails', calls: ['fsync', 'fdatasync'], fault: 'error=EIO', isLasting: false },
  {
    did: 'every fsync fails from one on',
    calls: ['fsync', 'fdatasync'],
    fault: 'error=EIO',
    isLasting: true,
  },
];
const LOCKED = { short: 3, long: 20, full: 60 } as const;
const LOCK_TIMEOUT_MS = 30;

function startImport(url: string, file: string, { mode }: Feed, how: Tracing) {
  return startTraced(['import', 'virtual-numbers', file, ...WORDS[mode], '--database-url', url], how);
}

/** Imports with a fault at one call; returns what is wrong then. */
const failOnce = (grounds: Grounds, file: string, feed: Feed, after: string, injection: Injection) =>
  onCopy(grounds, true, async (url, reader) => {
    const running = startImport(url, file, feed, { injection });
    const how = await endOf(running);
    const { err } = running.said;
    const { faults, isNew } = await aftermath(grounds, [url, reader], feed, after);
    if (how === 0 && !isNew) faults.push('it ended with 0, and the list is the old one');
    if (how !== 0 && how !== 1) faults.push(`it ended with ${how}: ${err.slice(-300)}`);
    if (how === 1 && isNew) faults.push(`it ended with 1, and the list is the new one: ${err}`);
    if (how === 1 && !/disk|I\/O|written/i.test(err)) faults.push(`it does not say why: ${err.slice(-300)}`);
    return { faults, how };
  });

async function onDisks(grounds: Grounds, feed: Feed, folder: string, report: (line: string) => void) {
  const file = join(folder, 'feed.csv');
  writeFileSync(file, csv(feed.rows));
  const after = await seenAfter(grounds, feed);
  const log = join(folder, 'calls');
  // With a reader, as each that fails: then fewer calls are made.
  await onCopy(grounds, true, (url) => startImport(url, file, feed, { log }).ended);
  const counts = countCalls(log, 'files', LOG_BEGINS);
  const results: DrillResult[] = [];
  for (const { did, calls, fault, isLasting } of DISKS) {
    const tally = new Tally();
    let done = 0;
    const failing = new Map([...counts].filter(([call]) => calls.includes(call)));
    const injections = injectionsAt(failing, fault, isLasting);
    await atOnce(injections, async (injection) => {
      const { faults, how } = await failOnce(grounds, file, feed, after, injection);
      if (how === 0) done += 1;
      const said =
        faults.length === 0 ? undefined : `${injection.call} ${injection.when}: ${faults.join('; ')}`;
      if (said !== undefined) report(`${did}: ${said}`);
      tally.add(said);
    });
    results.push(
      tally.result(`${did}, at each call of ${nameOf(feed)}`, `${done} imports could be done all the same`),
    );
  }
  return results;
}

/** The write lock is held by somebody else: reads go on, and an import waits, or says so. */
async function locked(grounds: Grounds, feed: Feed, times: number): Promise<DrillResult> {
  const tally = new Tally();
  const ground = await grounds.copy();
  const reader = await openStore(ground.url, 'read');
  const writer = await openStore(ground.url, 'write');
  const holder = new DatabaseSync(ground.url.replace('sqlite:', ''));
  try {
    for (let i = 0; i < times; i++) {
      holder.exec('begin immediate');
      const seen = await seenLists(reader, ACCOUNTS);
      const why: unknown = await writer
        .load(tables.virtual_numbers, { lockTimeoutMs: LOCK_TIMEOUT_MS })
        .then((load) => load.rollback())
        .catch((error: unknown) => error);
      holder.exec('rollback');
      const isSaid = why instanceof StoreUnavailable && /Another command/.test(why.message);
      tally.add(seen === grounds.old && isSaid ? undefined : `${why} ${differenceOf(seen, grounds.old)}`);
    }
    holder.exec('begin immediate');
    const waiting = importRows(writer, feed);
    setTimeout(() => holder.exec('rollback'), LOCK_TIMEOUT_MS);
    const { rows } = await waiting;
    tally.add(rows === feed.rows.length ? undefined : `it has waited and imported ${rows} rows`);
  } finally {
    holder.close();
    await writer.close();
    await reader.close();
    await ground.remove();
  }
  return tally.result('reads and imports during a lock that another process holds');
}

export const drill: Drill = {
  name: 'failing-disks',
  proves: [
    'If the disk is full or fails at any write or fsync, an import ends with 1, gives the reason and keeps the old list; or it is done completely.',
    'Meanwhile customers keep reading; afterwards copies agree with their list, and the next import works.',
    "Another process's lock fails no read; an import waits for it, and says so if it takes too long.",
  ],
  short: 'test/import/crash.long.test.ts',
  async run(size, report) {
    if (!hasStrace()) throw new Error('This needs strace, and that it may trace.');
    const folder = temporaryFolder();
    const grounds = await openGrounds(stores[0] as StoreKind);
    try {
      const [feed] = FEEDS;
      return [
        ...(await onDisks(grounds, feed, folder, report)),
        await locked(grounds, feed, ofSize(LOCKED, size)),
      ];
    } finally {
      await grounds.close();
    }
  },
};
