// Tables as Markdown, padded so that they read as well on a terminal, and put into a page of docs/ between
// marks.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BARE, bestOf, type Measured, ratioText, type Verdict } from './goals.ts';

const DOCS = join(import.meta.dirname, '..', 'docs');
const NUMBER = /^[\d.,]+(?: %)?$/;

export const count = (n: number) => Math.round(n).toLocaleString('en');

/** Columns of numbers stand to the right; empty ones are left out. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = head.flatMap((title, i) => {
    const cells = rows.map((row) => row[i] ?? '');
    const width = Math.max(3, ...[title, ...cells].map((cell) => cell.length));
    const right =
      cells.some((cell) => NUMBER.test(cell)) && cells.every((cell) => cell === '' || NUMBER.test(cell));
    return cells.every((cell) => cell === '') && rows.length > 0 ? [] : [{ i, width, right }];
  });
  const line = (cells: readonly string[]) => {
    const padded = columns.map(({ i, width, right }) => {
      const cell = cells[i] ?? '';
      return right ? cell.padStart(width) : cell.padEnd(width);
    });
    return `| ${padded.join(' | ')} |`;
  };
  const rule = columns.map(({ width, right }) => '-'.repeat(width - Number(right)) + (right ? ':' : ''));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** A line for each job and system; ratios are those of the requests a second. */
export function jobsTable(measured: Measured, peers: readonly string[]): string {
  const first = measured.get('J1');
  const share = (rate: number, of: { readonly rate: number } | undefined) =>
    of === undefined ? '' : ratioText(rate / of.rate);
  const rows = [...measured].flatMap(([job, byName]) =>
    [...byName].map(([name, { rate, p50, p99, processor, failed }]) => [
      job,
      name,
      count(rate),
      p50.toFixed(2),
      p99.toFixed(2),
      count(processor),
      share(rate, first?.get(BARE)),
      share(rate, first?.get('linecard')),
      peers.includes(name) ? '' : share(rate, bestOf(measured, job, peers)),
      ...(failed === 0 ? [] : [`${count(failed)} FAILED`]),
    ]),
  );
  const head = [
    'job',
    'system',
    'a second',
    'p50 ms',
    'p99 ms',
    'µs of processor',
    'of bare J1',
    'of our J1',
    'of best peer',
  ];
  return table(rows.some((row) => row.length > head.length) ? [...head, 'trouble'] : head, rows);
}

/** What was wanted and what came of it, and at the end what falls short. */
export function verdictText(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ what, measured, goal, met }) => [
    what,
    measured,
    goal,
    met ? 'met' : 'MISSED',
  ]);
  const short = verdicts.filter(({ met }) => !met);
  const list = short.map(({ what, measured, goal }) => `- ${what}: ${measured}, wanted ${goal}`);
  const end = short.length === 0 ? 'Nothing falls short.' : `What falls short:\n\n${list.join('\n')}`;
  return `${table(['goal', 'measured', 'wanted', ''], rows)}\n\n${end}`;
}

/**
 * Puts a text between `<!-- made by npm run bench: NAME -->` and `<!-- end -->`.
 * @throws {Error} when the page has no such marks.
 */
export function writeSection(file: string, name: string, text: string): void {
  const path = join(DOCS, file);
  const page = readFileSync(path, 'utf8');
  const start = `<!-- made by npm run bench: ${name} -->\n`;
  const from = page.indexOf(start);
  const to = page.indexOf('<!-- end -->', from);
  if (from < 0 || to < 0) throw new Error(`docs/${file} has no place for "${name}".`);
  writeFileSync(path, `${page.slice(0, from + start.length)}\n${text}\n\n${page.slice(to)}`);
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
