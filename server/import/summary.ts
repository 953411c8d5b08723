// The summary of an import for programs: `import --json` prints it, and intake answers with it.

import type { List } from '@linecard/client/contract/list';
import type { AccountChanges } from '../store/store.ts';
import type { ImportSummary } from './run.ts';

/** What was done to a list, or would be. */
export interface SummaryResult extends Omit<ImportSummary, 'accounts'> {
  readonly list: string;
  readonly dry_run: boolean;
  readonly seconds: number;
  /** Of a dry run: what would change for each account. */
  readonly accounts?: readonly AccountChanges[];
}

export function summaryResult(
  { name }: Pick<List, 'name'>,
  { accounts, ...counts }: ImportSummary,
  milliseconds: number,
): SummaryResult {
  const seconds = Math.round(milliseconds) / 1_000;
  const result = { list: name, dry_run: accounts !== undefined, ...counts, seconds };
  return accounts === undefined ? result : { ...result, accounts };
}
