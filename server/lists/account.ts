// What an account says of itself (docs/api.md, "Account"): its name and currency, how many items each list
// has, and which token this is.

import { Values } from '../store/conditions.ts';
import { type Statement, statementOf } from '../store/sql.ts';
import type { ResultRow, Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import type { Caller } from '../store/tokens.ts';
import { inTime, timed, type WaitingClient } from './deadline.ts';
import type { ReaderOptions } from './owner.ts';

const LISTS = Object.keys(tables);

/** An account as JSON text. */
export interface AccountAnswer {
  readonly body: string;
  readonly revision: string;
}

/** One row `[revision, name, currency, updated_at, …totals of the lists]`. */
function accountStatement({ dialect }: Store, account_id: string): Statement {
  const values = new Values(dialect);
  const columns = ['revision', 'name', 'currency', 'coalesce(updated_at, created_at)', ...LISTS];
  const text = `select id, ${columns.join(', ')} from accounts where id = ${values.bind(account_id)}`;
  return statementOf(account_id, text, values);
}

/** One row `[name, expires_at]`. */
function tokenStatement({ dialect }: Store, token_id: string): Statement {
  const text = `select id, name, expires_at from tokens where id = ${dialect.placeholder(1)}`;
  return { text, values: [token_id], owner: { kind: 'token_id', value: token_id } };
}

export class AccountReader {
  readonly #options: ReaderOptions;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /**
   * The caller's account; `undefined` where it or the token has just been deleted.
   * @throws {StoreUnavailable}
   */
  async account(caller: Caller, client: WaitingClient): Promise<AccountAnswer | undefined> {
    const { store, deadlineMs } = this.#options;
    const { account_id, token_id } = caller;
    const statements = [accountStatement(store, account_id), tokenStatement(store, token_id)] as const;
    const read = () => inTime(store.read(...statements), deadlineMs, client);
    const [[account], [token]] = await timed(client.stages, read);
    return account && token && this.#answer(caller, account, token);
  }

  #answer({ account_id, token_id }: Caller, account: ResultRow, token: ResultRow): AccountAnswer {
    const [revision, name, currency, updated_at, ...totals] = account;
    const [token_name, expires_at] = token;
    const body = {
      id: account_id,
      name,
      currency: currency ?? this.#options.currency ?? null,
      ...Object.fromEntries(LISTS.map((list, i) => [list, Number(totals[i])])),
      updated_at,
      token: { id: token_id, name: token_name, expires_at },
    };
    return { body: JSON.stringify(body), revision: revision as string };
  }
}
