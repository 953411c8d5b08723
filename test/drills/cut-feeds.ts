// Feeds that end too early, cut at every line and at random bytes, in every mode and every way in: nothing is
// changed, and the status says so. And two ways in at once: one after the other, or one is refused.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { ImportRefused, ImportRejected } from '../../server/import/faults.ts';
import type { Format } from '../../server/import/files.ts';
import { importFiles } from '../../server/import/import.ts';
import type { Store } from '../../server/store/store.ts';
import { tables } from '../../server/store/tables.ts';
import { ACCOUNTS, FEEDS, type Feed, nameOf, OLD_ROWS } from '../kit/feeds.ts';
import { type Intake, openIntake } from '../kit/intake-server.ts';
import { atOnce, differenceOf, type Random, spread } from '../kit/many.ts';
import { Operator } from '../kit/program.ts';
import { importRows, optionsOf, SENT, targetOf, WORDS } from '../kit/random-imports.ts';
import { csv, ndjson } from '../kit/rows.ts';
import { seenLists } from '../kit/seen-lists.ts';
import type { StoreKind } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { atRandom, type Drill, type DrillResult, type DrillSize, ofSize, onStores, Tally } from './drill.ts';

/**
 * Random cuts of each feed in each way in, in addition to those at its lines; and of commands that are
 * processes.
 */
const CUTS = { short: 2, long: 16, full: 80 } as const;
const LINES = { short: 2, long: 10, full: 1_000 } as const;
const PROCESSES = { short: 1, long: 4, full: 12 } as const;
const PAIRS = { short: 2, long: 10, full: 30 } as const;
/** The part of the cuts that is sent through a pipe. */
const PIPED = 0.06;
const PATIENCE_MS = 20_000;

/** A feed as bytes, and where it may be cut so that nobody can tell. */
interface Bytes {
  readonly feed: Feed;
  readonly format: Format;
  readonly isGzip: boolean;
  readonly bytes: Buffer;
  readonly rows: number;
  readonly lines: readonly number[];
}

function everyForm(): Bytes[] {
  return FEEDS.flatMap((feed) =>
    (['csv', 'ndjson'] as const).flatMap((format) =>
      [false, true].map((isGzip) => {
        const text = format === 'csv' ? csv(feed.rows) : ndjson(feed.rows);
        const plain = Buffer.from(text);
        const ends = [...text.matchAll(/\n/g)].map(
          ({ index }) => Buffer.byteLength(text.slice(0, index)) + 1,
        );
        const bytes = isGzip ? gzipSync(plain) : plain;
        return {
          feed,
          format,
          isGzip,
          bytes,
          rows: feed.rows.length,
          lines: isGzip ? [] : ends.slice(0, -1),
        };
      }),
    ),
  );
}

/** Where it is cut: at lines, around them, and anywhere; never at the end. */
function cutsOf({ bytes, lines }: Bytes, size: DrillSize, random: Random): number[] {
  const chosen = spread(lines, ofSize(LINES, size)).flatMap((end) => [end - 1, end]);
  const anywhere = Array.from({ length: ofSize(CUTS, size) }, () => Math.floor(random() * bytes.length));
  return [...new Set([0, ...chosen, ...anywhere, bytes.length - 1])].filter((cut) => cut < bytes.length);
}

/** What can be told: a plain file that ends with a line is told by the number of its rows alone. */
const looksWhole = ({ lines }: Bytes, cut: number) => cut === 0 || lines.includes(cut);

const titleOf = ({ feed, format, isGzip }: Bytes, cut: number) =>
  `${nameOf(feed)} of ${format}${isGzip ? ', gzip' : ''}, cut at ${cut}`;

/**
 * A CSV file that replaces nothing may lack its last line break, so that one which is cut within the last
 * cell of a line is told by the number of its rows alone, and within the last one not at all.
 */
const mayLackItsEnd = ({ feed, format, isGzip }: Bytes) =>
  format === 'csv' && !isGzip && !feed.mode.startsWith('replace');
const isDetectedInAFile = (source: Bytes, cut: number) =>
  !mayLackItsEnd(source) || cut <= source.bytes.lastIndexOf(',');

async function importBytes(store: Store, source: Bytes, cut: number, file?: string): Promise<unknown> {
  const { feed, format, rows } = source;
  const part = source.bytes.subarray(0, cut);
  if (file !== undefined) writeFileSync(file, part);
  try {
    return await importFiles({
      store,
      table: tables.virtual_numbers,
      files: [file ?? '-'],
      format,
      stdin: Readable.from(file === undefined && part.length > 0 ? [part] : []),
      ...optionsOf(feed.mode),
      max_removed: { percent: 100 },
      expect_rows:
        looksWhole(source, cut) || (file !== undefined && mayLackItsEnd(source)) ? rows : undefined,
    });
  } catch (error) {
    if (error instanceof ImportRefused && error.faults.length > 0) return undefined;
    if (error instanceof ImportRejected) return undefined;
    throw error;
  }
}

/** In process, through a pipe or from a file. */
async function cutImports(
  { operator: store }: Intake,
  size: DrillSize,
  share: number,
  random: Random,
  folder: string,
): Promise<DrillResult[]> {
  const old = await seenLists(store, ACCOUNTS);
  const results: DrillResult[] = [];
  // What comes through a pipe is read by a thread of its own, which takes longer to start.
  for (const [way, part] of [
    ['from a file', 1],
    ['through a pipe', PIPED],
  ] as const) {
    const tally = new Tally();
    const forms = everyForm();
    for (const source of size === 'short' && part < 1 ? forms.slice(0, 3) : forms) {
      const all = cutsOf(source, size, random);
      const cuts = part < 1 ? all : all.filter((cut) => isDetectedInAFile(source, cut));
      for (const cut of spread(cuts, Math.ceil(cuts.length * share * part))) {
        const ending = `${source.format}${source.isGzip ? '.gz' : ''}`;
        const file = way === 'from a file' ? join(folder, `cut.${ending}`) : undefined;
        // A pipe of gzip that ends before its first bytes is not known for one.
        const summary = await importBytes(store, source, cut, file);
        const said =
          summary === undefined ? undefined : `${titleOf(source, cut)}: ${JSON.stringify(summary)}`;
        tally.add(said);
        if (said !== undefined) await importRows(store, { mode: 'replace-all', rows: OLD_ROWS });
      }
      const seen = await seenLists(store, ACCOUNTS);
      tally.add(seen === old ? undefined : `${nameOf(source.feed)}: ${differenceOf(seen, old)}`);
    }
    results.push(tally.result(`feeds cut ${way}, nothing changed and said so`));
  }
  return results;
}

/** Complete requests whose bodies are cut; those that break off are in test/intake/crash.long.test.ts. */
async function cutBodies(
  intake: Intake,
  size: DrillSize,
  share: number,
  random: Random,
): Promise<DrillResult> {
  const tally = new Tally();
  const old = JSON.stringify(await intake.everything());
  for (const source of everyForm()) {
    const { mode } = source.feed;
    const [method] = SENT[mode];
    const cuts = cutsOf(source, size, random);
    await atOnce(
      spread(cuts, Math.ceil(cuts.length * share)),
      async (cut) => {
        const more = looksWhole(source, cut) ? `&expect_rows=${source.rows}` : '';
        const answer = await fetch(`${intake.url}${targetOf('virtual_numbers', mode)}${more}`, {
          method,
          headers: {
            authorization: `Bearer ${intake.token}`,
            'content-type': source.format === 'csv' ? 'text/csv' : 'application/x-ndjson',
            ...(source.isGzip && { 'content-encoding': 'gzip' }),
          },
          body: source.bytes.subarray(0, cut),
        });
        await answer.arrayBuffer();
        const { status } = answer;
        tally.add(status >= 400 && status < 500 ? undefined : `${titleOf(source, cut)}: ${status}`);
      },
      4,
    );
    if (JSON.stringify(await intake.everything()) !== old) tally.add(`${mode} has changed something`);
  }
  return tally.result('requests with a cut body, refused with 4xx and nothing changed');
}

/** The commands as processes: with a file, and through a pipe. */
async function cutCommands(
  intake: Intake,
  size: DrillSize,
  random: Random,
  folder: string,
): Promise<DrillResult> {
  const tally = new Tally();
  const old = await seenLists(intake.operator, ACCOUNTS);
  const operator = new Operator(intake.database_url);
  const forms = everyForm().filter(({ isGzip }) => !isGzip);
  const tasks = Array.from({ length: ofSize(PROCESSES, size) }, (_, i) => i).flatMap((i) =>
    (['file', 'pipe'] as const).map((way) => ({ way, source: forms[i % forms.length] as Bytes, i })),
  );
  await atOnce(tasks, async ({ way, source, i }) => {
    const { feed, format, bytes } = source;
    // Not at the end of a line, which nobody can tell without the number of rows.
    let cut = Math.floor(random() * bytes.length);
    while (looksWhole(source, cut) || !isDetectedInAFile(source, cut))
      cut = Math.floor(random() * bytes.length);
    const file = join(folder, `${way}-${i}.${format}`);
    writeFileSync(file, bytes.subarray(0, cut));
    const rows = mayLackItsEnd(source) ? ['--expect-rows', String(source.rows)] : [];
    const words = ['import', 'virtual-numbers', ...WORDS[feed.mode], ...rows, '--format', format];
    const running = operator.start(...words, way === 'pipe' ? '-' : file);
    running.child.stdin.on('error', () => {});
    running.child.stdin.end(way === 'pipe' ? bytes.subarray(0, cut) : '');
    const { status, err } = await running.ended;
    const isExplained =
      status === 1 &&
      /line break|cells|not valid JSON|quote|header|is not there|but --expect-rows says|be |is /.test(err);
    tally.add(isExplained ? undefined : `${way}: ${titleOf(source, cut)}: ${status} ${err}`);
  });
  operator.close();
  const seen = await seenLists(intake.operator, ACCOUNTS);
  if (seen !== old) tally.add(differenceOf(seen, old));
  return tally.result('commands (file, pipe) with a cut feed, ended with 1 and nothing changed');
}

/** Two concurrent imports: each is done completely, one after the other, or refused with a sentence. */
async function twoAtOnce(intake: Intake, times: number): Promise<DrillResult> {
  const tally = new Tally();
  const [, , , all] = FEEDS;
  const other = OLD_ROWS.map((row) => ({ ...row, comment: 'other' }));
  const put = (rows: readonly object[]) =>
    intake.send('PUT', 'virtual-numbers?all=true&max_removed=100%25', ndjson(rows), {
      'content-type': 'application/x-ndjson',
    });
  const comments = async () => [...new Set((await intake.items()).map((one) => String(one['comment'])))];
  for (let i = 0; i < times; i++) {
    const held = await intake.operator.load(tables.virtual_numbers);
    const [one, two] = [put(all.rows), put(other)];
    await sleep(20);
    await held.rollback();
    const answers = await Promise.race([
      Promise.all([one, two]),
      sleep(PATIENCE_MS).then(() => [{ status: 0, text: 'no answer' }]),
    ]);
    const fault = answers.find(
      ({ status, text }) => status !== 200 && !(status === 503 && text.includes('detail')),
    );
    const now = await comments();
    const isOne = now.length === 1 ? now[0] === 'other' : !now.includes('other');
    tally.add(fault === undefined && isOne ? undefined : `${fault?.status} ${fault?.text}; comments ${now}`);
  }
  return tally.result('two requests during an import, each complete and one after the other');
}

async function onStore(kind: StoreKind, size: DrillSize, random: Random): Promise<DrillResult[]> {
  const folder = temporaryFolder();
  const intake = await openIntake(kind, { importTimeoutMs: PATIENCE_MS });
  // What is checked of a cut is the same reader on both stores.
  const share = kind.name === 'SQLite' ? 1 : 0.3;
  try {
    await importRows(intake.operator, { mode: 'insert', rows: OLD_ROWS });
    const results = [
      ...(await cutImports(intake, size, share, random, folder)),
      await cutBodies(intake, size, share, random),
      ...(kind.name === 'SQLite' ? [await cutCommands(intake, size, random, folder)] : []),
      await twoAtOnce(intake, ofSize(PAIRS, size)),
    ];
    return results.map((one) => ({ ...one, did: `${one.did} (${kind.name})` }));
  } finally {
    await intake.close();
  }
}

export const drill: Drill = {
  name: 'cut-feeds',
  proves: [
    'A feed cut at any byte changes nothing, in every mode and by every path, and the status or the answer says so.',
    'Plain text cut exactly at the end of a line is refused if the number of rows is given; so is a CSV file that replaces nothing and is cut within the last cell of a line.',
    'Two concurrent imports run completely, one after the other, or one is refused with a reason.',
  ],
  run: (size, report) =>
    atRandom(size, report, (random) => onStores(size, (kind) => onStore(kind, size, random))),
};
