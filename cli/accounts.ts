// `linecard accounts list`: the accounts below that of the token, or below another.

import type { ListParams } from '@linecard/client/client/any-list';
import { accounts } from '@linecard/client/contract/accounts';
import { count } from '@linecard/client/contract/wording';
import { clientOf } from './connect.ts';
import { onePage, printSelection, type Selection } from './list.ts';
import { ACCOUNT_OPTION, type GivenOptions, textOf } from './options.ts';
import { WrongUsage } from './outcome.ts';
import type { Output } from './rows.ts';
import { currentSignIn } from './sign-in.ts';

const LARGE_PAGE = 100;

/**
 * @throws {WrongUsage}
 * @throws {Problem}
 */
export async function listAccounts(
  params: ListParams,
  given: GivenOptions,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const isAll = given.has('all');
  if (isAll && given.has('page')) throw new WrongUsage('--page cannot be combined with --all.');
  const client = clientOf(await currentSignIn(), { account: textOf(given, ACCOUNT_OPTION.name) });
  const list = async (query: ListParams) => client.accounts(query, { signal });
  if (!isAll) return printSelection(accounts, await onePage({ list }, params, signal), output);
  const first = await list({ page_size: LARGE_PAGE, ...params });
  const { total } = first;
  const selection: Selection = {
    rows: first[Symbol.asyncIterator](),
    total,
    isWhole: true,
    coverage: `${count(total)} of ${count(total)}.`,
  };
  await printSelection(accounts, selection, output);
}
