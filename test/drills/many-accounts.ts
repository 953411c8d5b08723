// Many accounts with a token and a few numbers each, on the embedded store: random tokens read while a
// nightly file is imported, and the commands that list and create for all of them stay small.

import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIST } from '../kit/drill-service.ts';
import type { Random } from '../kit/many.ts';
import { memoryOf } from '../kit/process-facts.ts';
import { Operator, type Running } from '../kit/program.ts';
import { makeFile } from '../kit/templates.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { atRandom, type Drill, type DrillResult, type DrillSize, ofSize, Tally } from './drill.ts';

const ACCOUNTS = { short: 2_000, long: 100_000 };
const NUMBERS_EACH = 3;
const READERS = 2;
/** Between two requests of a reader. */
const PAUSE_MS = 5;
const MEGABYTE = 1_000_000;
/** Of a command that lists or creates, of an import, and of the service next to one. */
const MAX_BYTES = { command: 250 * MEGABYTE, import: 512 * MEGABYTE, service: 425 * MEGABYTE };
const LOOK_EVERY_MS = 20;
const LINES_A_CHUNK = 2_000;
/** How often tokens are tried once the import is over. */
const AFTERWARDS = 500;

const accountOf = (i: number) => `customer-${i}`;
const idOf = (account: number, nth: number) => account * NUMBERS_EACH + nth + 1;
const didOf = (id: number) => `+4420${String(10_000_000 + id)}`;
const commentOf = (id: number, night: number) => `night ${night} of ${id}`;

async function write(file: string, head: string, count: number, lineOf: (i: number) => string) {
  function* chunks(): Generator<string> {
    yield `${head}\n`;
    for (let from = 0; from < count; from += LINES_A_CHUNK) {
      const length = Math.min(LINES_A_CHUNK, count - from);
      yield Array.from({ length }, (_, i) => `${lineOf(from + i)}\n`).join('');
    }
  }
  await pipeline(Readable.from(chunks()), createWriteStream(file));
}

/** All numbers of all accounts, each with a comment that says of which night it is. */
function writeNight(file: string, accounts: number, night: number): Promise<void> {
  const head = 'account_id,id,did,comment,status,subscription_status,frequency,created_at';
  return write(file, head, accounts * NUMBERS_EACH, (i) => {
    const id = i + 1;
    const account = accountOf(Math.floor(i / NUMBERS_EACH));
    return `${account},${id},${didOf(id)},${commentOf(id, night)},active,active,monthly,2026-02-10T16:04:11Z`;
  });
}

/** What a drill counts, and the process that it watches. */
class Watch {
  readonly #memory = new Tally();
  readonly #said: string[] = [];

  /** Watches the memory of a process until the work is over. */
  async over<T>(what: string, { child }: Running, maxBytes: number, work: Promise<T>): Promise<T> {
    let most = 0;
    const look = () => {
      most = Math.max(most, memoryOf(child.pid ?? 0, 'most'));
    };
    const timer = setInterval(look, LOOK_EVERY_MS);
    try {
      const result = await work;
      look();
      return result;
    } finally {
      clearInterval(timer);
      const megabytes = `${what} ${Math.round(most / MEGABYTE)} MB`;
      this.#said.push(megabytes);
      this.#memory.add(most === 0 || most > maxBytes ? megabytes : undefined);
    }
  }

  result(): DrillResult {
    return this.#memory.result('processes whose memory is bounded', this.#said.join(', '));
  }
}

/** Runs a command that must succeed, and returns what it prints. */
async function command(operator: Operator, watch: Watch, ...words: string[]): Promise<string> {
  const running = operator.start(...words);
  running.child.stdin.end();
  const name = words
    .filter((word) => /^[a-z-]+$/.test(word) && !word.startsWith('-'))
    .slice(0, 2)
    .join(' ');
  const maxBytes = words[0] === 'import' ? MAX_BYTES.import : MAX_BYTES.command;
  const { status, out, err } = await watch.over(name, running, maxBytes, running.ended);
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${err}`);
  return out;
}

interface Place {
  readonly url: string;
  readonly tokens: readonly string[];
  readonly random: Random;
}

interface Item {
  readonly id: number;
  readonly did: string;
  readonly comment: string;
}

/** What is wrong with the answer to a random token: all of it must be of one of these nights. */
async function askOne(
  { url, tokens, random }: Place,
  nights: readonly number[],
): Promise<string | undefined> {
  const account = Math.floor(random() * tokens.length);
  const answer = await fetch(`${url}${LIST}?sort_by=id&sort_order=asc`, {
    headers: { authorization: `Bearer ${tokens[account]}` },
  });
  const text = await answer.text();
  if (answer.status !== 200) return `${accountOf(account)} was answered ${answer.status}`;
  const { data, total } = JSON.parse(text) as { data: Item[]; total: number };
  const seen = JSON.stringify([total, data.map(({ id, did, comment }) => [id, did, comment])]);
  const isOf = (night: number) => {
    const ids = Array.from({ length: NUMBERS_EACH }, (_, nth) => idOf(account, nth));
    return seen === JSON.stringify([ids.length, ids.map((id) => [id, didOf(id), commentOf(id, night)])]);
  };
  return nights.some(isOf) ? undefined : `${accountOf(account)} was answered ${seen}`;
}

/** Reads with random tokens, a few at the same time, until it is over. */
async function readMeanwhile(place: Place, tally: Tally, isOver: () => boolean): Promise<void> {
  const reader = async () => {
    do {
      tally.add(await askOne(place, [0, 1]));
      await sleep(PAUSE_MS);
    } while (!isOver());
  };
  await Promise.all(Array.from({ length: READERS }, reader));
}

async function readWhileImporting(
  operator: Operator,
  watch: Watch,
  { file, tokens, random }: Omit<Place, 'url'> & { readonly file: string },
): Promise<DrillResult[]> {
  const [meanwhile, afterwards] = [new Tally(), new Tally()];
  const began = performance.now();
  const serving = await operator.serve('--rate-limit', '0', '--log-level', 'error');
  const place = { url: serving.url, tokens, random };
  afterwards.add(await askOne(place, [0]));
  const ready = Math.round(performance.now() - began);
  let isOver = false;
  const night = command(operator, watch, 'import', 'virtual-numbers', '--replace', file).finally(() => {
    isOver = true;
  });
  const reading = readMeanwhile(place, meanwhile, () => isOver);
  await watch.over('the service', serving, MAX_BYTES.service, Promise.all([night, reading]));
  for (let i = 0; i < AFTERWARDS; i++) afterwards.add(await askOne(place, [1]));
  return [
    meanwhile.result('answers to random tokens during the import', `the first after ${ready} ms`),
    afterwards.result('answers before and after it'),
  ];
}

async function run(size: DrillSize, random: Random, report: (line: string) => void): Promise<DrillResult[]> {
  const accounts = ofSize(ACCOUNTS, size);
  const folder = temporaryFolder();
  const [list, before, after] = ['accounts.csv', 'before.csv', 'after.csv'].map((name) => join(folder, name));
  const database = makeFile();
  const operator = new Operator(database.url);
  const watch = new Watch();
  const commands = new Tally();
  try {
    await write(list as string, 'account_id,name', accounts, (i) => `${accountOf(i)},Customer ${i}`);
    await writeNight(before as string, accounts, 0);
    await writeNight(after as string, accounts, 1);
    await command(operator, watch, 'import', 'accounts', list as string);
    await command(operator, watch, 'import', 'virtual-numbers', before as string);
    const created = await command(operator, watch, 'token', 'create', '--accounts', list as string);
    const tokens = tokensOf(created, accounts);
    const file = after as string;
    const results = await readWhileImporting(operator, watch, { file, tokens, random });
    for (const words of [
      ['account', 'list'],
      ['token', 'list'],
    ]) {
      const lines = (await command(operator, watch, ...words)).split('\n').length;
      commands.add(lines > accounts ? undefined : `${words.join(' ')} printed ${lines} lines`);
    }
    results.push(commands.result('commands about all accounts'), watch.result());
    for (const { did, note } of results) report(`${did}: ${note ?? 'well'}`);
    return results;
  } finally {
    operator.close();
    await database.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The tokens that were printed, in the order of the accounts. */
function tokensOf(printed: string, accounts: number): string[] {
  const tokens: string[] = [];
  for (const line of printed.trim().split('\n').slice(1)) {
    const [account = '', , token = ''] = line.split(',');
    tokens[Number(account.slice(accountOf(0).length - 1))] = token;
  }
  if (tokens.filter(Boolean).length !== accounts) throw new Error(`${tokens.length} tokens were printed.`);
  return tokens;
}

export const drill: Drill = {
  name: 'many-accounts',
  proves: [
    'With 100,000 accounts and tokens and 300,000 numbers on the embedded store, random tokens get the rows of their own account, all of one night, while a nightly file replaces every list.',
    'Meanwhile the service has 425 MB at most and the import 512 MB; the commands that create a token for each account and list all accounts and tokens have 250 MB at most.',
  ],

  run: (size, report) => atRandom(size, report, (random) => run(size, random, report)),
};
