// A file checked against an account: one export, and a comparison where the program runs.

import { type AccountNumber, type AmountPer, type Check, compare } from '../check/compare.ts';
import type { NumbersRead } from '../check/file-numbers.ts';
import { Uncheckable } from '../check/file-table.ts';
import { timestampOf } from '../contract/timestamp.ts';
import type { VirtualNumbersQuery } from '../lists/virtual-numbers.ts';
import type { Client } from './client.ts';

const SECONDS = 19;
/** Items after which other work of the thread goes on: a server has other callers, a page its reader. */
const SLICE = 1_000;
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
  const items: AccountNumber[] = [];
  // Complete items: fields that name a charge are 403 for a token that sees none.
  for await (const item of await client.virtualNumbers.export(params, { signal })) {
    const { id, did, frequency, monthly } = item as AccountNumber;
    items.push({ id, did, ...(monthly !== undefined && { monthly, frequency: frequency ?? '' }) });
    if (items.length % SLICE === 0) await pause();
  }
  if (read.hasAmounts && items.length > 0 && items[0]?.monthly === undefined)
    throw new Uncheckable(
      'This token sees no charges, so amounts cannot be compared: leave the amount column out, or use a token that sees charges.',
    );
  return { as_of, ...compare(read, items, per) };
}
