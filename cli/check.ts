// `linecard virtual-numbers check`: the numbers of a file against those of the account. What differs goes to
// standard output; lines that have no number go to standard error.

import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { faultText } from '@linecard/client/check/check-faults';
import { GROUP_NAMES, type GroupName, isSame } from '@linecard/client/check/compare';
import { numbersOfFile } from '@linecard/client/check/file-numbers';
import { Uncheckable } from '@linecard/client/check/file-table';
import { CHECK_COLUMNS, type CheckRow, checkCsv, checkRows } from '@linecard/client/check/rows';
import { AMOUNTS_PER, type AmountPer } from '@linecard/client/check/written-numbers';
import type { ListParams } from '@linecard/client/client/any-list';
import { checkNumbers, type DatedCheck } from '@linecard/client/client/check';
import { visible } from '@linecard/client/contract/printable';
import { nearest } from '@linecard/client/contract/suggestion';
import { count } from '@linecard/client/contract/wording';
import { connect, type ListCall } from './connect.ts';
import { didYouMean } from './meant.ts';
import { textOf } from './options.ts';
import { Differs, WrongUsage } from './outcome.ts';
import { plainTable } from './plain-table.ts';
import { type Paint, paintFor, print, printJsonLists, say } from './print.ts';

const STANDARD_INPUT = '-';
const SUMMARY_GAP = '     ';
const WORDS: Readonly<Record<GroupName, string>> = {
  both: 'on both',
  only_in_file: 'only in the file',
  only_on_account: 'only on the account',
  amounts: 'with another amount',
  twice: 'twice in the file',
  ambiguous: 'ambiguous',
};
const ALWAYS: readonly GroupName[] = ['both', 'only_in_file', 'only_on_account'];
const DIFFERENCES = GROUP_NAMES.filter((name) => name !== 'both');
const READ_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
};

/** @throws {WrongUsage} */
async function bytesOf(path: string): Promise<Uint8Array> {
  if (path === STANDARD_INPUT) return buffer(process.stdin);
  try {
    return await readFile(path);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new WrongUsage(`${path} cannot be read: ${READ_FAILURES[code] ?? message}.`, { cause: error });
  }
}

/** @throws {WrongUsage} */
function amountPer(text: string | undefined): AmountPer | undefined {
  const value = AMOUNTS_PER.find((one) => one === text);
  if (text === undefined || value !== undefined) return value;
  const hint = didYouMean(nearest(text, AMOUNTS_PER));
  throw new WrongUsage(`--amount-per must be ${AMOUNTS_PER.join(' or ')}, but was "${text}"${hint}`);
}

function cellOf(row: CheckRow, name: (typeof CHECK_COLUMNS)[number]): string {
  if (name === 'result') return WORDS[row.result];
  return visible(String(row[name] ?? ''));
}

/** The rows of all groups but `both`, in columns. */
function* tableLines(check: DatedCheck, paint: Paint): Generator<string> {
  const rows = () => checkRows(check, DIFFERENCES);
  const withValues = new Set<string>();
  for (const row of rows())
    for (const [name, value] of Object.entries(row)) if ((value ?? '') !== '') withValues.add(name);
  const names = CHECK_COLUMNS.filter((name) => withValues.has(name));
  if (names.length === 0) return;
  yield '\n';
  const cells = { [Symbol.iterator]: () => rows().map((row) => names.map((name) => cellOf(row, name))) };
  yield* plainTable(names, cells, paint);
}

function* table(check: DatedCheck, file: string): Generator<string> {
  const { counts, as_of } = check;
  const shown = GROUP_NAMES.filter((name) => ALWAYS.includes(name) || counts[name] > 0);
  yield `${count(counts.in_file)} ${counts.in_file === 1 ? 'number' : 'numbers'} in ${visible(file)}, ${count(counts.on_account)} on the account, as of ${as_of}\n`;
  yield `  ${shown.map((name) => `${count(counts[name])} ${WORDS[name]}`).join(SUMMARY_GAP)}\n`;
  yield* tableLines(check, paintFor(process.stdout));
}

async function printCheck(check: DatedCheck, file: string, output: 'table' | 'csv' | 'json'): Promise<void> {
  if (output === 'csv') return print(checkCsv(check, GROUP_NAMES));
  if (output === 'table') return print(table(check, file));
  const { as_of, counts } = check;
  await printJsonLists({ as_of, counts }, Object.fromEntries(GROUP_NAMES.map((name) => [name, check[name]])));
}

/**
 * @throws {WrongUsage} for a file that cannot be checked
 * @throws {Problem}
 * @throws {Differs}
 */
export async function checkFile(
  { given, signal }: ListCall,
  path: string,
  params: ListParams,
  output: 'table' | 'csv' | 'json',
): Promise<void> {
  const names = { number: textOf(given, 'number-column'), amount: textOf(given, 'amount-column') };
  const per = amountPer(textOf(given, 'amount-per'));
  if (per !== undefined && names.amount === undefined)
    throw new WrongUsage('--amount-per says what the amounts are for: give --amount-column, too.');
  const file = path === STANDARD_INPUT ? 'standard input' : path;
  try {
    const read = numbersOfFile(await bytesOf(path), names);
    const check = await checkNumbers((await connect(given)).client, read, params, { per, signal });
    for (const { line, text, fault } of check.faults)
      say(`linecard: line ${line} of ${file}${text === '' ? '' : `, "${text}"`}: ${faultText(fault)}.`);
    await printCheck(check, file, output);
    if (!isSame(check)) throw new Differs();
  } catch (error) {
    if (error instanceof Uncheckable) throw new WrongUsage(`${file}: ${error.message}`, { cause: error });
    throw error;
  }
}
