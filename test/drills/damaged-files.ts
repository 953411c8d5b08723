// Files of the embedded store that are cut off, or whose bytes are changed, at many offsets: refused with
// the way out, 503, or answered; never a crash, never a row of another account, and never a change of the
// file.

import { hash } from 'node:crypto';
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { StoreRefused, StoreUnavailable } from '../../server/store/store-errors.ts';
import { ACCOUNTS } from '../kit/feeds.ts';
import { type Grounds, openGrounds } from '../kit/grounds.ts';
import type { Random } from '../kit/many.ts';
import { reading, seenLists, WrongTotal } from '../kit/seen-lists.ts';
import { type StoreKind, stores } from '../kit/service.ts';
import { atRandom, type Drill, type DrillResult, type DrillSize, ofSize, Tally } from './drill.ts';

const CUTS = { short: 6, long: 120 } as const;
const FLIPS = { short: 20, long: 1_000, full: 2_000 } as const;
/** The database, and its tokens. */
const FILES = ['', '-tokens'] as const;
const PAGE_BYTES = 8_192;

/** What came of reading a damaged file. */
interface Outcome {
  readonly how: 'refused' | 'unavailable' | 'unchanged' | 'changed';
  /** What is wrong with that. */
  readonly fault?: string;
}

/** Whose rows they are, by their number. */
const OWNERS = new Map<string, string>();

/** The numbers in what was read, each in the list of an account. */
function* numbersIn(seen: string): Generator<{ account: string; did: string; line: string }> {
  let account = '';
  for (const line of seen.split('\n')) {
    account = / of (\w+)$/.exec(line)?.[1] ?? account;
    const did = /^\{"id":\d+,"did":"(\+\d+)"/.exec(line)?.[1];
    if (did !== undefined) yield { account, did, line };
  }
}

/** What is wrong with what was read: rows of another account. */
function foreignRows(seen: string): string | undefined {
  for (const { account, did, line } of numbersIn(seen)) {
    const owner = OWNERS.get(did) ?? account;
    if (owner !== account) return `a row of ${owner} in the list of ${account}: ${line}`;
  }
  return undefined;
}

async function outcomeOf(url: string, grounds: Grounds): Promise<Outcome> {
  try {
    const seen = await reading(url, (store) => seenLists(store, ACCOUNTS));
    if (seen === grounds.old) return { how: 'unchanged' };
    const fault = foreignRows(seen);
    return { how: 'changed', ...(fault === undefined ? {} : { fault }) };
  } catch (error) {
    if (error instanceof StoreRefused) {
      const isHelpful = /restore|--database-url|migrate|newer Linecard/.test(error.message);
      return { how: 'refused', ...(isHelpful ? {} : { fault: `no way out: ${error.message}` }) };
    }
    if (error instanceof StoreUnavailable) return { how: 'unavailable' };
    // A total is read as it stands, as the text of a row is.
    if (error instanceof WrongTotal) return { how: 'changed' };
    return { how: 'unavailable', fault: `neither refused nor 503: ${String((error as Error).stack)}` };
  }
}

/** Damages a copy, and reads it; the file must stay as it is. */
async function damage(grounds: Grounds, end: string, work: (path: string) => void): Promise<Outcome> {
  const ground = await grounds.copy();
  const path = ground.url.replace('sqlite:', '');
  try {
    work(path + end);
    const digests = () => FILES.map((one) => hash('sha256', readFileSync(path + one)));
    const before = digests().join();
    const outcome = await outcomeOf(ground.url, grounds);
    const hasLog = existsSync(`${path}-wal`) && readFileSync(`${path}-wal`).length > 0;
    return digests().join() === before && !hasLog ? outcome : { ...outcome, fault: 'the file was changed' };
  } finally {
    await ground.remove();
  }
}

async function cutOff(grounds: Grounds, size: DrillSize, random: Random): Promise<DrillResult[]> {
  const results: DrillResult[] = [];
  const path = (await grounds.copy()).url.replace('sqlite:', '');
  for (const end of FILES) {
    const tally = new Tally();
    const { length } = readFileSync(path + end);
    const pages = Array.from({ length: length / PAGE_BYTES }, (_, i) => i * PAGE_BYTES).slice(1);
    const anywhere = Array.from(
      { length: ofSize(CUTS, size) },
      () => 1 + Math.floor(random() * (length - 1)),
    );
    for (const bytes of size !== 'short' ? [...pages, ...anywhere, length - 1] : [...anywhere, length - 1]) {
      const { how, fault } = await damage(grounds, end, (file) => truncateSync(file, bytes));
      const isRefused = how === 'refused' && fault === undefined;
      tally.add(isRefused ? undefined : `cut to ${bytes} bytes: ${how} ${fault}`);
    }
    results.push(
      tally.result(`${end === '' ? 'the database' : 'the file of its tokens'} cut off, and refused`),
    );
  }
  return results;
}

async function flipped(grounds: Grounds, count: number, random: Random): Promise<DrillResult> {
  const tally = new Tally();
  const outcomes = new Map<string, number>();
  const path = (await grounds.copy()).url.replace('sqlite:', '');
  const { length } = readFileSync(path);
  for (let i = 0; i < count; i++) {
    // Half of them where a page is described.
    const page = Math.floor(random() * (length / PAGE_BYTES)) * PAGE_BYTES;
    const at = i % 2 === 0 ? Math.floor(random() * length) : page + Math.floor(random() * 120);
    const value = Math.floor(random() * 256);
    const { how, fault } = await damage(grounds, '', (file) => {
      const bytes = readFileSync(file);
      bytes[at] = (bytes[at] as number) ^ (value === 0 ? 255 : value);
      writeFileSync(file, bytes);
    });
    outcomes.set(how, (outcomes.get(how) ?? 0) + 1);
    tally.add(fault === undefined ? undefined : `byte ${at} xor ${value}: ${fault}`);
  }
  const counts = [...outcomes].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([how, n]) => `${n} ${how}`);
  return tally.result('bytes of the database changed', counts.join(', '));
}

export const drill: Drill = {
  name: 'damaged-files',
  proves: [
    'A truncated database or token file is refused at the start with what to do next, and stays as it is.',
    'A database with a changed byte is refused, answers 503, or is read. It ends no process, shows no row to another account, and is not written to.',
  ],
  async run(size, report) {
    const grounds = await openGrounds(stores[0] as StoreKind);
    try {
      for (const { account, did } of numbersIn(grounds.old)) OWNERS.set(did, account);
      return await atRandom(size, report, async (random) => [
        ...(await cutOff(grounds, size, random)),
        await flipped(grounds, ofSize(FLIPS, size), random),
      ]);
    } finally {
      await grounds.close();
    }
  },
};
