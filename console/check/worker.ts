// The thread in which a file is read and compared, so that the page stays smooth: it requests the numbers of
// the account itself, and nothing of the file leaves it but what the page shows and what is saved.

import type { VirtualNumbersQuery } from '@linecard/client';
import { Client, Problem } from '@linecard/client';
import { type CheckFault, faultText } from '@linecard/client/check/check-faults';
import { type Check, GROUP_NAMES, type GroupName } from '@linecard/client/check/compare';
import { columnNames, numbersOfFile } from '@linecard/client/check/file-numbers';
import { Uncheckable } from '@linecard/client/check/file-table';
import { type CheckRow, checkCsv, checkRows } from '@linecard/client/check/rows';
import type { AmountPer } from '@linecard/client/check/written-numbers';
import { checkNumbers } from '@linecard/client/client/check';

/** Rows of a group that the page shows; its file has all. */
const MOST_ROWS = 100;

/** Which columns of a file, and what its amounts are for. */
export interface Columns {
  readonly number?: string | undefined;
  readonly amount?: string | undefined;
  readonly per: AmountPer;
}

export interface CheckRequest {
  readonly file: Blob;
  /** The language of faults, and its sentences for them; where there is none, it is in English. */
  readonly locale: string;
  readonly sentences: Readonly<Record<string, string>>;
  /** Absent where only the names of its columns are wanted. */
  readonly against?: {
    readonly columns: Columns;
    readonly params: object;
    readonly url: string;
    readonly token: string;
    readonly account: string | undefined;
  };
}

export interface Group {
  readonly name: GroupName;
  readonly count: number;
  readonly rows: readonly CheckRow[];
  readonly csv: Blob;
}

interface SaidFault {
  readonly line: number;
  readonly text: string;
  readonly fault: string;
}

export interface Found {
  readonly as_of: string;
  readonly inFile: number;
  readonly onAccount: number;
  readonly groups: readonly Group[];
  readonly faults: readonly SaidFault[];
  readonly faultCount: number;
}

export type CheckAnswer =
  | { readonly columns: readonly string[] }
  | { readonly found: Found }
  /** Why the file cannot be checked. */
  | { readonly unclear: string }
  | { readonly problem: { readonly code: string; readonly detail: string; readonly status: number } };

function firstRows(check: Check, name: GroupName): CheckRow[] {
  const rows: CheckRow[] = [];
  for (const row of checkRows(check, [name])) {
    if (rows.length === MOST_ROWS) break;
    rows.push(row);
  }
  return rows;
}

const groupOf = (check: Check, name: GroupName): Group => ({
  name,
  count: check.counts[name],
  rows: firstRows(check, name),
  csv: new Blob([...checkCsv(check, [name])], { type: 'text/csv' }),
});

const saidIn = ({ locale, sentences }: CheckRequest, fault: CheckFault): string => {
  const { [fault.kind]: sentence } = sentences;
  return sentence === undefined ? faultText(fault) : faultText(fault, sentence, locale);
};

async function answerTo(request: CheckRequest): Promise<CheckAnswer> {
  const { file, against } = request;
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (against === undefined) return { columns: columnNames(bytes) };
  const { columns, params, ...options } = against;
  const read = numbersOfFile(bytes, columns);
  const client = new Client({ ...options, retries: 0 });
  const { signal } = new AbortController();
  const check = await checkNumbers(client, read, params as VirtualNumbersQuery, { per: columns.per, signal });
  const found = {
    as_of: check.as_of,
    inFile: check.counts.in_file,
    onAccount: check.counts.on_account,
    groups: GROUP_NAMES.map((name) => groupOf(check, name)),
    faults: check.faults
      .slice(0, MOST_ROWS)
      .map(({ line, text, fault }) => ({ line, text, fault: saidIn(request, fault) })),
    faultCount: check.faults.length,
  };
  return { found };
}

function answerOfError(request: CheckRequest, error: unknown): CheckAnswer {
  if (error instanceof Uncheckable) return { unclear: saidIn(request, error.fault) };
  if (!(error instanceof Problem)) throw error;
  const { code, message: detail, status } = error;
  return { problem: { code, detail, status } };
}

addEventListener('message', ({ data }: MessageEvent<CheckRequest>) => {
  void answerTo(data)
    .catch((error: unknown) => answerOfError(data, error))
    .then((answer) => postMessage(answer));
});
