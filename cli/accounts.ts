// `linecard accounts list`: the accounts below that of the token, or below another.

import type { ListParams } from '@linecard/client/client/any-list';
import { accounts } from '@linecard/client/contract/accounts';
import { connect } from './connect.ts';
import { onePage, printSelection, wholeOf } from './list.ts';
import type { GivenOptions } from './options.ts';
import { WrongUsage } from './outcome.ts';
import type { Output } from './rows.ts';

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
  const { client } = await connect(given);
  const list = async (query: ListParams) => client.accounts(query, { signal });
  if (!isAll) return printSelection(accounts, await onePage({ list }, params, signal), output);
  const first = await list({ page_size: LARGE_PAGE, ...params });
  await printSelection(accounts, wholeOf(first[Symbol.asyncIterator](), first.total), output);
}
