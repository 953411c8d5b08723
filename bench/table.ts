// Tables in Markdown, padded so that they are readable in a terminal as well, and written into pages of
// docs/.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BARE, type Measured, PEER, ratioText, type Verdict } from './goals.ts';

const DOCS = join(import.meta.dirname, '..', 'docs');
const NUMBER = /^[\d.,]+(?: %)?$/;

export const count = (n: number) => Math.round(n).toLocaleString('en');
export const mebibytes = (n: number) => `${count(n)} MiB`;
export const rowsASecond = (n: number) => `${count(n)} rows a second`;

/** Aligns columns of numbers to the right, and leaves out empty columns. */
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

export function jobsTable(measured: Measured): string {
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
      name === PEER ? '' : share(rate, byName.get(PEER)),
      ...(failed === 0 ? [] : [`${count(failed)} FAILED`]),
    ]),
  );
  const head = [
    'job',
    'system',
    'per second',
    'p50 ms',
    'p99 ms',
    'µs of processor',
    'of bare J1',
    'of our J1',
    'of the peer',
  ];
  return table(rows.some((row) => row.length > head.length) ? [...head, 'failures'] : head, rows);
}

export function verdictText(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ what, measured, goal, met }) => [
    what,
    measured,
    goal,
    met ? 'met' : 'MISSED',
  ]);
  const short = verdicts.filter(({ met }) => !met);
  const list = short.map(({ what, measured, goal }) => `- ${what}: ${measured}, goal ${goal}`);
  const end = short.length === 0 ? 'All goals are met.' : `Missed goals:\n\n${list.join('\n')}`;
  return `${table(['goal', 'measured', 'target', ''], rows)}\n\n${end}`;
}

/**
 * Replaces the text between `<!-- made by npm run bench: NAME -->` and `<!-- end -->`.
 * @throws {Error} if the page has no such section.
 */
export function writeSection(file: string, name: string, text: string): void {
  const path = join(DOCS, file);
  const page = readFileSync(path, 'utf8');
  const start = `<!-- made by npm run bench: ${name} -->\n`;
  const from = page.indexOf(start);
  const to = page.indexOf('<!-- end -->', from);
  if (from < 0 || to < 0) throw new Error(`docs/${file} has no section "${name}".`);
  writeFileSync(path, `${page.slice(0, from + start.length)}\n${text}\n\n${page.slice(to)}`);
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
