// `linecard-server token`: creates, lists, rotates and revokes tokens of customers and operators.

import { Failed, WrongUsage } from '../errors.ts';
import { FILE_OPTIONS } from '../import/job.ts';
import { Known } from '../operations/shape.ts';
import {
  createTokenOperation,
  revokeTokenOperation,
  rotateTokenOperation,
  showTokenOperation,
} from '../operations/tokens.ts';
import { accountIdFault, hasAccount } from '../store/accounts.ts';
import type { ChangeStore } from '../store/audit.ts';
import type { Store } from '../store/store.ts';
import { revokeTokensOf, tokenBatches } from '../store/token-batch.ts';
import type { CustomerScope, OperatorScope } from '../store/token-scopes.ts';
import { type CreatedToken, createOperatorToken, forgetToken, idOfToken } from '../store/tokens.ts';
import {
  type CommandDefinition,
  command,
  DATABASE,
  type DatabaseSettings,
  withSnapshot,
  withStore,
  withStoreOnFullDisk,
} from './command.ts';
import { perform, readOptions, showCommand } from './operation.ts';
import { counted, deliver, printRows, say, typed } from './print.ts';
import { givenLimits, LIMITS, limitsOf, limitsText, mustSuit, NEW_OPTIONS } from './token-limits.ts';

const DATES = ['created_at', 'expires_at', 'revoked_at', 'last_used_at'] as const;
const CUSTOMER_COLUMNS = ['id', 'account_id', 'name', 'kind', 'limits', ...DATES] as const;
const OPERATOR_COLUMNS = ['id', 'accounts', 'name', 'may', ...DATES] as const;
/** A token, which no id looks like. */
const TOKEN = /^lco?_/;
/** Many thousands of tokens may take long. */
const BATCH_MILLISECONDS = 600_000;
/** They are looked up and stored once each: a large cache would only take memory. */
const BATCH_CACHE_KIB = 8_192;

/** A value that its option has read. */
const known = (value: unknown) => (value === undefined ? undefined : new Known(value));

function noAccount(id: string): Failed {
  return new Failed(`There is no account ${id}. Create it with: linecard-server account create ${typed(id)}`);
}

/** @throws {Failed} if an account does not exist. */
async function mustExist(store: Store, accounts: readonly string[]): Promise<void> {
  for (const id of accounts) {
    const fault = accountIdFault(id);
    if (fault !== undefined) throw new Failed(`The id of an account ${fault}.`);
    if (!(await hasAccount(store, id))) throw noAccount(id);
  }
}

function ownerOf(token: CustomerScope | OperatorScope): string {
  if ('may' in token)
    return token.accounts ? `an operator, for ${token.accounts.join(', ')}` : 'an operator, for all accounts';
  const limits = limitsText(token);
  return token.account_id + (limits === '' ? '' : ` (${limits})`);
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

/**
 * The id that was given, or that of the token that was given in its place.
 * @throws {Failed} if it is no token of this database, without repeating it.
 */
async function idOf(store: ChangeStore, given: string): Promise<string> {
  if (!TOKEN.test(given)) return given;
  const id = await idOfToken(store, given);
  if (id === undefined)
    throw new Failed(
      'There is no such token in this database: it may be cut off, or of another one. Look for its id with: linecard-server token list',
    );
  return id;
}

async function revokeOne(store: ChangeStore, given: string): Promise<string> {
  const id = await idOf(store, given);
  const isNew = await perform(revokeTokenOperation, store, {}, { id });
  return isNew ? `Revoked token ${id}.` : `Token ${id} is already revoked.`;
}

async function revokeAll(store: ChangeStore, account: string): Promise<string> {
  const revoked = await revokeTokensOf(store, account);
  if (revoked === undefined) throw noAccount(account);
  return `Revoked ${counted(revoked, 'token')} of ${account}.`;
}

async function rotate(store: Store, given: string, overlap: number | undefined): Promise<void> {
  const id = await idOf(store, given);
  const read = readOptions(rotateTokenOperation, { overlap: known(overlap) }, { overlap: 'overlap' });
  const { replaces } = await perform(rotateTokenOperation, store, read, { id, handOver: printToken });
  say(`Token ${id} expires at ${replaces.expires_at}.`);
}

/** @throws {Failed} when there is no such account. */
function printTokens(database: DatabaseSettings, json: boolean, account?: string): Promise<void> {
  return withSnapshot(database, async (snapshot, store) => {
    if (account !== undefined && !(await hasAccount(store, account))) throw noAccount(account);
    await printRows(
      json,
      CUSTOMER_COLUMNS,
      () => tokenBatches(snapshot, 'customer', account),
      (token) => ({
        ...token,
        limits: limitsText(token),
      }),
    );
  });
}

const printOperatorTokens = (database: DatabaseSettings, json: boolean): Promise<void> =>
  withSnapshot(database, (snapshot) =>
    printRows(
      json,
      OPERATOR_COLUMNS,
      () => tokenBatches(snapshot, 'operator'),
      (token) => ({
        ...token,
        accounts: token.accounts?.join(', ') ?? 'all',
        may: token.may.join(', '),
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
          const token = { name: name ?? '', accounts, may, expires_at: expiresAt };
          const created = await createOperatorToken(store, token);
          try {
            await printToken(created, { accounts: accounts ?? null, may: may ?? [] });
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
      const given = { account_id: account, name, expires_in: known(expires_in), ...givenLimits(rest) };
      const read = readOptions(createTokenOperation, given, NEW_OPTIONS);
      const create = (store: Store) => perform(createTokenOperation, store, read, { handOver: printToken });
      await withStore(rest, create, 'change');
    },
  }),
  command({
    words: 'list',
    about: 'Show tokens with their expiry and last use, but never the tokens themselves.',
    takes: [...DATABASE, 'account', 'operator', 'json'],
    async run(_args, { account, operator, json, ...database }) {
      if (operator && account !== undefined)
        throw new WrongUsage('Use either --operator, which lists operator tokens, or --account.');
      await (operator ? printOperatorTokens(database, json) : printTokens(database, json, account));
    },
  }),
  showCommand(showTokenOperation, 'token_id', ['linecard-server token show 4fTq0Vb2LxYz']),
  command({
    words: 'rotate <token_id>',
    about: 'Create a replacement for a token and print it; the old token expires after the overlap.',
    takes: [...DATABASE, 'overlap'],
    examples: ['linecard-server token rotate 4fTq0Vb2LxYz --overlap 7d'],
    async run([id = ''], { overlap, ...database }) {
      await withStore(database, (store) => rotate(store, id, overlap), 'change');
    },
  }),
  command({
    words: 'revoke [token_id]',
    about:
      'Revoke a token, by its id or the token itself, or all of an account, permanently; within 5 seconds.',
    takes: [...DATABASE, 'account'],
    examples: [
      'linecard-server token revoke 4fTq0Vb2LxYz',
      'linecard-server token revoke --account harbour-dental',
    ],
    async run([id], { account, ...database }) {
      if ((id === undefined) === (account === undefined)) {
        throw new WrongUsage(
          'Specify either a token_id, or --account ID to revoke all tokens of the account.',
        );
      }
      const work = (store: ChangeStore) =>
        id === undefined ? revokeAll(store, account as string) : revokeOne(store, id);
      say(await withStoreOnFullDisk(database, work));
    },
  }),
];
