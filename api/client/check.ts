// A file checked against an account: one export, and a comparison where the program runs.

import { type AccountNumber, AccountNumbers } from '../check/account-numbers.ts';
import { type Check, compare } from '../check/compare.ts';
import type { NumbersRead } from '../check/file-numbers.ts';
import { Uncheckable } from '../check/file-table.ts';
import type { AmountPer } from '../check/written-numbers.ts';
import { Problem } from '../contract/problems.ts';
import { timestampOf } from '../contract/timestamp.ts';
import type { VirtualNumbersQuery } from '../lists/virtual-numbers.ts';
import type { Client } from './client.ts';
import type { Export } from './export.ts';

const SECONDS = 19;
/** Items after which other work of the thread goes on: a server has other callers, a page its reader. */
const SLICE = 4_000;
/** What a check compares, and the same for a token that sees no charges. */
const COMPARED = ['id', 'did', 'frequency', 'monthly'] as const;
const WITHOUT_CHARGES = ['id', 'did'] as const;
const pause = () => new Promise<void>((resolve) => setTimeout(resolve));

export interface DatedCheck extends Check {
  /** When the export was requested. */
  readonly as_of: string;
}

/**
 * @throws {Problem}
 * @throws {Uncheckable} where there are amounts, and the token sees no charges
 */
export async function checkNumbers(
  client: Client,
  read: NumbersRead,
  params: VirtualNumbersQuery,
  { per, signal }: { readonly per?: AmountPer | undefined; readonly signal: AbortSignal },
): Promise<DatedCheck> {
  const as_of = `${timestampOf().slice(0, SECONDS)}Z`;
  const items = new AccountNumbers();
  let paused = 0;
  const open = (fields: typeof COMPARED | typeof WITHOUT_CHARGES) =>
    client.virtualNumbers.export({ ...params, fields }, { signal });
  const file = await open(COMPARED).catch((error: unknown) => {
    // A field that is a charge is 403 for a token that sees none.
    if (error instanceof Problem && error.code === 'forbidden') return open(WITHOUT_CHARGES);
    throw error;
  });
  for await (const batch of (file as Export<AccountNumber>).batches()) {
    for (const item of batch) items.push(item);
    if (items.length - paused >= SLICE) {
      paused = items.length;
      await pause();
    }
  }
  if (read.hasAmounts && items.length > 0 && items.at(0).monthly === undefined)
    throw new Uncheckable('no_charges');
  return { as_of, ...compare(read, items, per) };
}
