// `linecard-server token`: creates, lists, rotates and revokes API tokens.

import { Failed, WrongUsage } from '../errors.ts';
import { hasAccount } from '../store/accounts.ts';
import { revokeOperatorToken } from '../store/operator-tokens.ts';
import type { Store } from '../store/store.ts';
import {
  createToken,
  endToken,
  forgetToken,
  listTokens,
  revokeToken,
  revokeTokensOf,
  succeedToken,
} from '../store/tokens.ts';
import { type CommandDefinition, command, DATABASE, withStore } from './command.ts';
import {
  createForOperator,
  handOver,
  noAccount,
  printOperatorTokens,
  rotateOperatorToken,
} from './operator-tokens.ts';
import { count, printRows, say } from './print.ts';

const COLUMNS = [
  'id',
  'account_id',
  'name',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
] as const;
const OVERLAP_MILLISECONDS = 86_400_000;

async function revokeOne(store: Store, id: string): Promise<string> {
  const customers = await revokeToken(store, id);
  const outcome = customers === 'unknown' ? await revokeOperatorToken(store, id) : customers;
  if (outcome === 'unknown') throw new Failed(`There is no token ${id}. See: linecard-server token list`);
  return outcome === 'revoked' ? `Revoked token ${id}.` : `Token ${id} was revoked before.`;
}

async function revokeAll(store: Store, account: string): Promise<string> {
  const revoked = await revokeTokensOf(store, account);
  if (revoked === undefined) throw noAccount(account);
  return `Revoked ${count(revoked)} token${revoked === 1 ? '' : 's'} of ${account}.`;
}

export const tokenCommands: readonly CommandDefinition[] = [
  command({
    words: 'create',
    about: 'Create a token of an account and print it, alone, on standard output. It is shown only once.',
    settings: [...DATABASE, 'operator', 'accounts', 'name', 'expires_in'],
    examples: [
      'linecard-server token create --account harbour-dental --name "phone book" --expires-in 90d',
      'linecard-server token create --operator --name "billing feed"',
    ],
    async run(_args, { operator, accounts, name = '', expires_in, ...database }) {
      const expiresAt = expires_in === undefined ? undefined : Date.now() + expires_in;
      if (operator) {
        const work = (store: Store) => createForOperator(store, accounts, name, expiresAt);
        return withStore(database, work, 'change');
      }
      const [account, another] = accounts ?? [];
      if (account === undefined)
        throw new WrongUsage(
          'Name the account of the token: --account ID; or make one that writes the lists: --operator.',
        );
      if (another !== undefined)
        throw new WrongUsage('A token of a customer belongs to one account: name one with --account ID.');
      const work = async (store: Store) => {
        const created = await createToken(store, account, name, expiresAt);
        if (created === undefined) throw noAccount(account);
        await handOver(created, account, (id) => forgetToken(store, id));
      };
      await withStore(database, work, 'change');
    },
  }),
  command({
    words: 'list',
    about: 'Show tokens, their expiry and when they were last used; never the tokens themselves.',
    settings: [...DATABASE, 'account', 'operator', 'json'],
    async run(_args, { account, operator, json, ...database }) {
      if (operator && account !== undefined)
        throw new WrongUsage('Choose one of --operator, which lists the tokens of operators, and --account.');
      if (operator) return withStore(database, (store) => printOperatorTokens(store, json), 'read');
      const work = async (store: Store) => {
        const found = await listTokens(store, account);
        if (account !== undefined && found.length === 0 && !(await hasAccount(store, account)))
          throw noAccount(account);
        return found;
      };
      printRows(json, COLUMNS, await withStore(database, work, 'read'));
    },
  }),
  command({
    words: 'rotate <token_id>',
    about: 'Create a token in the place of another and print it; the old one ends after the overlap.',
    settings: [...DATABASE, 'overlap'],
    examples: ['linecard-server token rotate 4fTq0Vb2LxYz --overlap 7d'],
    async run([id = ''], { overlap = OVERLAP_MILLISECONDS, ...database }) {
      const work = async (store: Store) => {
        const created = await succeedToken(store, id);
        if (created === undefined) {
          if (await rotateOperatorToken(store, id, overlap)) return;
          throw new Failed(
            `There is no token ${id} that is still good. See: linecard-server token list; make a new one with: linecard-server token create`,
          );
        }
        await handOver(created, created.account_id, (made) => forgetToken(store, made));
        await endToken(store, id, Date.now() + overlap);
        const [old] = (await listTokens(store, created.account_id)).filter((one) => one.id === id);
        say(`Token ${id} ends at ${old?.expires_at}.`);
      };
      await withStore(database, work, 'change');
    },
  }),
  command({
    words: 'revoke [token_id]',
    about: 'Revoke a token, or all of an account, for good; within 5 seconds they are refused.',
    settings: [...DATABASE, 'account'],
    examples: [
      'linecard-server token revoke 4fTq0Vb2LxYz',
      'linecard-server token revoke --account harbour-dental',
    ],
    async run([id], { account, ...database }) {
      if ((id === undefined) === (account === undefined)) {
        throw new WrongUsage('Name either a token_id, or an account, all of whose tokens go: --account ID.');
      }
      const work = (store: Store) =>
        id === undefined ? revokeAll(store, account as string) : revokeOne(store, id);
      say(await withStore(database, work, 'change'));
    },
  }),
];
