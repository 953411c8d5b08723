// `linecard-server pull`: an import of what a query finds in the operator's own database, once or again and
// again.

import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { listed } from '@linecard/client/contract/wording';
import { NOT_WRITTEN_TEXT, writtenText } from '@linecard/client/contract/written-text';
import { Failed, WrongUsage } from '../errors.ts';
import { UNCHANGED } from '../import/faults.ts';
import { STANDARD_INPUT } from '../import/files.ts';
import { importQuery } from '../import/import.ts';
import type { Importable } from '../import/job.ts';
import { addressFault, databaseName } from '../import/sources/address.ts';
import type { Values } from '../settings/config.ts';
import { processActor } from '../store/log/audit.ts';
import { importOnce, mustFit, type RowSettings, stoppable } from './import.ts';
import { count, counted, messageOf, say } from './print.ts';

const MINUTE_MILLISECONDS = 60_000;
/** No timer waits longer than some weeks. */
const LONGEST_SLEEP = 86_400_000;
/** White space, brackets and comments before the first word of a statement. */
const BEFORE = /^(?:[\s(]+|--[^\n]*(?:\n|$)|#[^\n]*(?:\n|$)|\/\*.*?\*\/)*/s;
const WORD = /^[a-z]+/i;
const READS = ['SELECT', 'WITH', 'VALUES', 'TABLE'];
const MAX_SHOWN_CHARACTERS = 20;

type PullSettings = RowSettings & Pick<Values, 'from' | 'query' | 'every'>;

/** Where the rows come from. */
interface Source {
  readonly url: string;
  /** The name of the file with the query. */
  readonly name: string;
  /** The query as the file has it now; standard input is read once. */
  readonly sql: () => string;
}

const unusable = (name: string, why: string, cause?: unknown) =>
  new Failed(`${name}: ${why} ${UNCHANGED}`, { cause });

function fileBytes(name: string): Buffer {
  try {
    return readFileSync(name);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'There is no such file.' : `${message.replace(/\.$/, '')}.`;
    throw unusable(name, why, error);
  }
}

/**
 * The one statement of a file.
 * @throws {Failed} when it is not one that reads; the database finds out whatever is not seen here.
 */
export function queryText(name: string, bytes: Buffer): string {
  const text = writtenText(bytes);
  if (text === undefined) throw unusable(name, NOT_WRITTEN_TEXT);
  const statement = text.replace(BEFORE, '');
  if (statement === '' || statement.startsWith(';')) throw unusable(name, 'There is no query in it.');
  const word = WORD.exec(statement)?.[0] ?? statement.slice(0, MAX_SHOWN_CHARACTERS);
  if (READS.includes(word.toUpperCase())) return text;
  throw unusable(
    name,
    `It must hold one statement that reads, which begins with ${listed(READS, 'or')}, but begins with ${JSON.stringify(word)}.`,
  );
}

/** @throws {WrongUsage | Failed} when there is no address, or no query. */
async function sourceOf({ from, query: name }: PullSettings): Promise<Source> {
  if (from === undefined || name === undefined)
    throw new WrongUsage('Name the database and the query: --from URL --query FILE.');
  const fault = addressFault(from);
  if (fault !== undefined) throw new WrongUsage(fault);
  if (name !== STANDARD_INPUT) return { url: from, name, sql: () => queryText(name, fileBytes(name)) };
  const bytes = await buffer(process.stdin);
  return { url: from, name: 'standard input', sql: () => queryText('standard input', bytes) };
}

async function pullOnce(table: Importable, settings: PullSettings, source: Source, signal: AbortSignal) {
  const { url, name } = source;
  const query = () => ({ url, sql: source.sql() });
  const named = { database: databaseName(url), text: name };
  return importOnce(table, settings, signal, (job) => {
    const provenance = {
      origin: 'pull',
      actor: processActor(),
      source: `${named.database} ${name}`,
    } as const;
    return importQuery({ ...job, provenance }, query, named);
  });
}

/**
 * Does the work now and then at every interval, from start to start, until the signal. Starts that fall into
 * work that takes longer are left out.
 */
export async function repeat(everyMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const begin = performance.now();
  while (!signal.aborted) {
    await work();
    const passed = Math.floor((performance.now() - begin) / everyMs);
    const next = begin + (passed + 1) * everyMs;
    while (!signal.aborted && performance.now() < next) {
      const ms = Math.min(next - performance.now(), LONGEST_SLEEP);
      await sleep(ms, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Pulls until the signal, whatever fails. */
async function pullAgain(
  table: Importable,
  settings: PullSettings,
  source: Source,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  let imported = 0;
  let failed = 0;
  await repeat(everyMs, signal, async () => {
    try {
      await pullOnce(table, settings, source, signal);
      imported += 1;
    } catch (error) {
      if (signal.aborted) return;
      failed += 1;
      say(`linecard-server: ${messageOf(error)}`);
    }
  });
  say(`Stopped after ${counted(imported, 'import')}; ${count(failed)} failed.`);
}

/**
 * Imports the rows of a query.
 * @throws {Failed} after every fault, when nothing was imported; with `--every` only before the first run.
 * @throws {WrongUsage} when the settings do not go together.
 */
export async function runPull(table: Importable, settings: PullSettings): Promise<void> {
  const { every, dry_run } = settings;
  mustFit(settings);
  if (every !== undefined && dry_run)
    throw new WrongUsage('--dry-run does not go with --every: it says once what would be done.');
  const source = await sourceOf(settings);
  // A query that is none from the beginning will not become one.
  source.sql();
  await stoppable(async (signal) => {
    if (every === undefined) await pullOnce(table, settings, source, signal);
    else {
      const minutes = every / MINUTE_MILLISECONDS;
      say(`Pulling every ${minutes === 1 ? 'minute' : `${count(minutes)} minutes`}. Stop it with Ctrl-C.`);
      await pullAgain(table, settings, source, every, signal);
    }
  });
}
