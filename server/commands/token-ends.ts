// `linecard-server token rotate` and `token revoke`: one token, all of an account, or all of the accounts of
// a file. A token that must not come into the history of a shell is read from standard input.

import { text } from 'node:stream/consumers';
import { Failed, WrongUsage } from '../errors.ts';
import { FILE_OPTIONS } from '../import/job.ts';
import { revokeTokenOperation, rotateTokenOperation } from '../operations/tokens.ts';
import type { Values } from '../settings/config.ts';
import { hasAccount } from '../store/access/accounts.ts';
import { absence } from '../store/access/deleted-accounts.ts';
import { revokeTokensOf } from '../store/access/token-batch.ts';
import { type CustomerScope, hasExpired, type OperatorScope } from '../store/access/token-scopes.ts';
import { type CreatedToken, idOfToken, listTokens } from '../store/access/tokens.ts';
import type { ChangeStore } from '../store/log/audit.ts';
import type { Store } from '../store/store.ts';
import { type CommandDefinition, command, DATABASE, withStore, withStoreOnFullDisk } from './command.ts';
import { known, perform, readOptions } from './operation.ts';
import { counted, deliver, say, typed } from './print.ts';

/** A token, which no id looks like. */
const TOKEN = /lco?_\S*/;
const STANDARD_INPUT = '-';
const HOW =
  'To keep it out of the history of the shell, send it to standard input: linecard-server token revoke -';

type PrintToken = (created: CreatedToken, scope: CustomerScope | OperatorScope) => Promise<void>;
type Chosen = Pick<Values, 'account' | 'accounts_file' | (typeof FILE_OPTIONS)[number]>;

export async function noAccount(store: Pick<Store, 'read'>, id: string): Promise<Failed> {
  const how = `Create it with: linecard-server account create ${typed(id)}`;
  return new Failed(`${await absence(store, id)} ${how}`);
}

/**
 * The id that was given, or that of the token that was given in its place.
 * @throws {Failed} if it is no token of this database, without repeating it.
 */
async function idOf(store: ChangeStore, given: string): Promise<string> {
  const input = given === STANDARD_INPUT ? (await text(process.stdin)).trim() : given;
  const [token] = TOKEN.exec(input) ?? [];
  if (token === undefined && given === STANDARD_INPUT)
    throw new Failed('Standard input has no token: send one that begins with lc_ or lco_.');
  if (token === undefined) return input;
  const id = await idOfToken(store, token);
  if (id === undefined)
    throw new Failed(
      `There is no such token in this database: it may be cut off, or of another one. Look for its id with: linecard-server token list${given === STANDARD_INPUT ? '' : `. ${HOW}`}`,
    );
  return id;
}

/** The accounts whose tokens are meant: one, or those of a file. */
async function accountsOf(store: Store, { account, accounts_file, ...rest }: Chosen): Promise<string[]> {
  if (accounts_file !== undefined)
    return (await import('./token-file.ts')).accountsOfFile(store, accounts_file, rest);
  const id = String(account);
  if (!(await hasAccount(store, id))) throw await noAccount(store, id);
  return [id];
}

/** @throws {WrongUsage} unless exactly one of these says which tokens are meant. */
function mustChooseOne(id: string | undefined, { account, accounts_file }: Chosen, verb: string): void {
  if ([id, account, accounts_file].filter((one) => one !== undefined).length === 1) return;
  throw new WrongUsage(
    `Specify one of token_id, --account ID, and --accounts FILE: the last two ${verb} all tokens of accounts.`,
  );
}

async function revokeOne(store: ChangeStore, given: string): Promise<string> {
  const id = await idOf(store, given);
  const isNew = await perform(revokeTokenOperation, store, {}, { id });
  return isNew ? `Revoked token ${id}.` : `Token ${id} is already revoked.`;
}

async function revokeAll(store: ChangeStore, account: string): Promise<string> {
  const revoked = await revokeTokensOf(store, account);
  if (revoked === undefined) throw await noAccount(store, account);
  return `Revoked ${counted(revoked, 'token')} of ${account}.`;
}

/** Replaces all valid tokens of accounts, except sign-ins, and prints each with its account. */
async function rotateAll(
  store: Store,
  accounts: readonly string[],
  overlap: number | undefined,
  output: Values['output'],
): Promise<void> {
  const { CSV_HEAD, lineOf } = await import('./token-file.ts');
  const read = readOptions(rotateTokenOperation, { overlap: known(overlap) }, { overlap: 'overlap' });
  if (output === 'csv') await deliver(CSV_HEAD);
  let rotated = 0;
  for (const account_id of accounts)
    for (const { id, kind, revoked_at, expires_at } of await listTokens(store, 'customer', account_id)) {
      if (kind === 'sign_in' || revoked_at !== null || hasExpired({ expires_at })) continue;
      const handOver = (created: CreatedToken) => deliver(lineOf(output, { ...created, account_id }));
      await perform(rotateTokenOperation, store, read, { id, handOver });
      rotated += 1;
    }
  say(`Replaced ${counted(rotated, 'token')} of ${counted(accounts.length, 'account')}.`);
}

/** @param print shows a new token, once. */
export const endingCommands = (print: PrintToken): readonly CommandDefinition[] => [
  command({
    words: 'rotate [token_id]',
    about: 'Create a replacement for a token and print it; the old token expires after the overlap.',
    takes: [...DATABASE, 'overlap', 'account', 'accounts_file', ...FILE_OPTIONS, 'output'],
    examples: [
      'linecard-server token rotate 4fTq0Vb2LxYz --overlap 7d',
      'linecard-server token rotate --account harbour-dental --overlap 7d > tokens.csv',
    ],
    async run([given], { overlap, output, ...rest }) {
      mustChooseOne(given, rest, 'rotate');
      const work = async (store: Store) => {
        if (given === undefined) return rotateAll(store, await accountsOf(store, rest), overlap, output);
        const id = await idOf(store, given);
        const read = readOptions(rotateTokenOperation, { overlap: known(overlap) }, { overlap: 'overlap' });
        const { replaces } = await perform(rotateTokenOperation, store, read, { id, handOver: print });
        say(`Token ${id} expires at ${replaces.expires_at}.`);
      };
      await withStore(rest, work, 'change');
    },
  }),
  command({
    words: 'revoke [token_id]',
    about:
      'Revoke a token, by its id or the token itself (- reads it from standard input), or all of accounts, permanently; within 5 seconds.',
    takes: [...DATABASE, 'account', 'accounts_file', ...FILE_OPTIONS],
    examples: [
      'linecard-server token revoke 4fTq0Vb2LxYz',
      'linecard-server token revoke - < leaked.txt',
      'linecard-server token revoke --account harbour-dental',
    ],
    async run([given], rest) {
      mustChooseOne(given, rest, 'revoke');
      if (rest.accounts_file !== undefined) {
        const work = async (store: Store) => {
          for (const id of await accountsOf(store, rest)) say(await revokeAll(store, id));
        };
        return withStore(rest, work, 'change');
      }
      const work = (store: ChangeStore) =>
        given === undefined ? revokeAll(store, String(rest.account)) : revokeOne(store, given);
      say(await withStoreOnFullDisk(rest, work));
    },
  }),
];
