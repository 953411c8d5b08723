// `linecard-server token`: creates, lists and revokes API tokens.

import { Failed, WrongUsage } from '../errors.ts';
import { createToken, listTokens, revokeToken } from '../store/tokens.ts';
import { type CommandDefinition, command, DATABASE, withStore } from './command.ts';
import { printRows, say } from './print.ts';

const COLUMNS = [
  'id',
  'account_id',
  'name',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
] as const;

export const tokenCommands: readonly CommandDefinition[] = [
  command({
    words: 'create',
    about: 'Create a token of an account and print it, alone, on standard output. It is shown only once.',
    settings: [...DATABASE, 'account', 'name', 'expires_in'],
    examples: ['linecard-server token create --account harbour-dental --name "phone book" --expires-in 90d'],
    async run(_args, { account, name, expires_in, ...database }) {
      if (account === undefined) throw new WrongUsage('Name the account of the token: --account ID.');
      await withStore(database, async (store) => {
        const expiresAt = expires_in === undefined ? undefined : Date.now() + expires_in;
        const created = await createToken(store, account, name, expiresAt);
        if (created === undefined) {
          throw new Failed(
            `There is no account ${account}. Create it with: linecard-server account create ${account}`,
          );
        }
        say(`Created token ${created.id} of ${account}. It is shown only once and stored only as a hash:`);
        process.stdout.write(`${created.token}\n`);
      });
    },
  }),
  command({
    words: 'list',
    about: 'Show tokens, their expiry and when they were last used; never the tokens themselves.',
    settings: [...DATABASE, 'account', 'output'],
    async run(_args, { account, output, ...database }) {
      const tokens = await withStore(database, (store) => listTokens(store, account), 'read');
      printRows(output, COLUMNS, tokens);
    },
  }),
  command({
    words: 'revoke <token_id>',
    about: 'Revoke a token for good; it stops working within 5 seconds.',
    settings: [...DATABASE],
    async run([id = ''], database) {
      const outcome = await withStore(database, (store) => revokeToken(store, id));
      if (outcome === 'unknown') throw new Failed(`There is no token ${id}. See: linecard-server token list`);
      say(outcome === 'revoked' ? `Revoked token ${id}.` : `Token ${id} was revoked before.`);
    },
  }),
];
