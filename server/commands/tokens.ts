// `linecard-server token`: creates, lists, rotates and revokes tokens of customers and operators.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { Failed, WrongUsage } from '../errors.ts';
import { FILE_OPTIONS } from '../import/job.ts';
import { NEW, TOKEN as SHOWN } from '../operations/token-shape.ts';
import { createTokenOperation, showTokenOperation } from '../operations/tokens.ts';
import { accountIdFault, hasAccount } from '../store/access/accounts.ts';
import { tokenBatches } from '../store/access/token-batch.ts';
import {
  type CustomerScope,
  type OperatorScope,
  LIMITS as SCOPE_LIMITS,
} from '../store/access/token-scopes.ts';
import { type CreatedToken, createOperatorToken, forgetToken } from '../store/access/tokens.ts';
import type { Store } from '../store/store.ts';
import {
  type CommandDefinition,
  command,
  DATABASE,
  type DatabaseSettings,
  withSnapshot,
  withStore,
} from './command.ts';
import { givenOf, perform, readOptions, showCommand } from './operation.ts';
import { deliver, printRows, say } from './print.ts';
import { endingCommands, noAccount } from './token-ends.ts';
import { LIMITS, limitsOf, limitsText, mustSuit, NEW_OPTIONS } from './token-limits.ts';

const FIRST_COLUMNS = ['id', 'account_id', 'name', 'kind', 'limits'] as const;
const ONE_COLUMN: readonly string[] = [...FIRST_COLUMNS, ...SCOPE_LIMITS.columns];
/** What limits a token is one column. */
const OTHER_COLUMNS = (
  Object.keys(SHOWN) as Exclude<keyof typeof SHOWN, 'account_id' | 'kind' | 'reach'>[]
).filter((name) => !ONE_COLUMN.includes(name));
const CUSTOMER_COLUMNS = [...FIRST_COLUMNS, ...OTHER_COLUMNS];
const OPERATOR_COLUMNS = ['id', 'accounts', 'name', 'may', 'limits', ...OTHER_COLUMNS] as const;
/** Many thousands of tokens may take long. */
const BATCH_MILLISECONDS = 600_000;
/** They are looked up and stored once each: a large cache would only take memory. */
const BATCH_CACHE_KIB = 2_048;

/** @throws {Failed} if an account does not exist. */
async function mustExist(store: Store, accounts: readonly string[]): Promise<void> {
  for (const id of accounts) {
    const fault = accountIdFault(id);
    if (fault !== undefined) throw new Failed(`The id of an account ${fault}.`);
    if (!(await hasAccount(store, id))) throw await noAccount(store, id);
  }
}

function ownerOf(token: CustomerScope | OperatorScope): string {
  const limits = limitsText(token);
  const more = limits === '' ? '' : ` (${limits})`;
  if (!('may' in token)) return token.account_id + more;
  return `an operator, for ${token.accounts?.join(', ') ?? 'all accounts'}${more}`;
}

/**
 * Prints a new token.
 * @throws {Failed} if that fails: then nobody has received it, and it is deleted.
 */
async function printToken({ id, token }: CreatedToken, scope: CustomerScope | OperatorScope): Promise<void> {
  say(`Created token ${id} of ${ownerOf(scope)}. It is shown only once and stored only as a hash:`);
  try {
    await deliver(token);
  } catch (error) {
    throw new Failed(
      `The token could not be written to standard output (${(error as Error).message}) and was deleted.`,
      { cause: error },
    );
  }
}

/** @throws {Failed} when there is no such account. */
function printTokens(
  database: DatabaseSettings,
  json: boolean,
  account: string | undefined,
  endsBefore: string | undefined,
): Promise<void> {
  return withSnapshot(database, async (snapshot, store) => {
    if (account !== undefined && !(await hasAccount(store, account))) throw await noAccount(store, account);
    await printRows(
      json,
      CUSTOMER_COLUMNS,
      () =>
        tokenBatches(snapshot, store, 'customer', {
          accounts: account === undefined ? undefined : [account],
          endsBefore,
        }),
      (token) => ({
        ...token,
        limits: limitsText(token),
      }),
    );
  });
}

const printOperatorTokens = (
  database: DatabaseSettings,
  json: boolean,
  endsBefore: string | undefined,
): Promise<void> =>
  withSnapshot(database, (snapshot, store) =>
    printRows(
      json,
      OPERATOR_COLUMNS,
      () => tokenBatches(snapshot, store, 'operator', { endsBefore }),
      (token) => ({
        ...token,
        accounts: token.accounts?.join(', ') ?? 'all',
        may: token.may.join(', '),
        limits: limitsText(token),
      }),
    ),
  );

export const tokenCommands: readonly CommandDefinition[] = [
  command({
    words: 'create',
    about:
      'Create a token for an account and print only the token on standard output. It is shown only once.',
    takes: [
      ...DATABASE,
      'operator',
      'accounts',
      'accounts_file',
      ...FILE_OPTIONS,
      'output',
      'name',
      'expires_in',
      ...LIMITS,
    ],
    examples: [
      'linecard-server token create --account harbour-dental --name "phone book" --expires-in 90d',
      'linecard-server token create --account harbour-dental --lists virtual-numbers --without-charges --from 203.0.113.0/24',
      'linecard-server token create --operator --name "billing feed"',
      'linecard-server token create --operator --may read --without-charges --name support',
      'linecard-server token create --accounts customers.csv --expires-in 90d > tokens.csv',
    ],
    async run(_args, { operator, accounts, accounts_file, name, expires_in, may, ...rest }) {
      const expiresAt = expires_in === undefined ? undefined : Date.now() + expires_in;
      mustSuit(operator, { may, ...rest });
      if (accounts_file !== undefined) {
        if (operator || accounts !== undefined)
          throw new WrongUsage('--accounts creates customer tokens: leave out --account and --operator.');
        const { createFromFile } = await import('./token-file.ts');
        const options = { ...limitsOf(rest), expires_at: expiresAt };
        const work = (store: Store) => createFromFile(store, accounts_file, { ...rest, name }, options);
        return withStore(rest, work, 'change', { timeoutMs: BATCH_MILLISECONDS, cacheKib: BATCH_CACHE_KIB });
      }
      if (operator) {
        const work = async (store: Store) => {
          await mustExist(store, accounts ?? []);
          const { reach: _, ...limits } = limitsOf(rest);
          const token = { name: name ?? '', accounts, may, limits, expires_at: expiresAt };
          const created = await createOperatorToken(store, token);
          try {
            await printToken(created, { accounts: accounts ?? null, may: may ?? [], ...limits });
          } catch (error) {
            await forgetToken(store, created.id);
            throw error;
          }
        };
        return withStore(rest, work, 'change');
      }
      const [account, another] = accounts ?? [];
      if (account === undefined)
        throw new WrongUsage(
          'Specify the account of the token with --account ID, or create an operator token with --operator.',
        );
      if (another !== undefined)
        throw new WrongUsage('A customer token belongs to one account: specify only one --account.');
      const given = { ...givenOf(NEW, { ...rest, name, expires_in }, NEW_OPTIONS), account_id: account };
      const read = readOptions(createTokenOperation, given, NEW_OPTIONS);
      const create = (store: Store) => perform(createTokenOperation, store, read, { handOver: printToken });
      await withStore(rest, create, 'change');
    },
  }),
  command({
    words: 'list',
    about: 'Show tokens with their expiry and last use, but never the tokens themselves.',
    takes: [...DATABASE, 'account', 'operator', 'expiring', 'json'],
    examples: [
      'linecard-server token list --account harbour-dental',
      'linecard-server token list --expiring 14d',
    ],
    async run(_args, { account, operator, expiring, json, ...database }) {
      if (operator && account !== undefined)
        throw new WrongUsage('Use either --operator, which lists operator tokens, or --account.');
      const endsBefore = expiring === undefined ? undefined : timestampOf(Date.now() + expiring);
      await (operator
        ? printOperatorTokens(database, json, endsBefore)
        : printTokens(database, json, account, endsBefore));
    },
  }),
  showCommand(showTokenOperation, 'token_id', ['linecard-server token show 4fTq0Vb2LxYz']),
  ...endingCommands(printToken),
];
