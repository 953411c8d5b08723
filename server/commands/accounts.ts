// `linecard-server account`: creates and lists accounts.

import { Failed, WrongUsage } from '../errors.ts';
import { accountIdFault, createAccount, listAccounts } from '../store/accounts.ts';
import { type CommandDefinition, command, DATABASE, withStore } from './command.ts';
import { printRows, say } from './print.ts';

export const accountCommands: readonly CommandDefinition[] = [
  command({
    words: 'create <id>',
    about: 'Create an account; its id is your own customer id, any text of 1 to 100 characters.',
    settings: [...DATABASE, 'name'],
    examples: ['linecard-server account create harbour-dental --name "Harbour Dental"'],
    async run([id = ''], { name, ...database }) {
      const fault = accountIdFault(id);
      if (fault !== undefined) throw new WrongUsage(`The id of an account ${fault}.`);
      await withStore(database, async (store) => {
        if (!(await createAccount(store, id, name))) throw new Failed(`The account ${id} exists already.`);
        say(`Created the account ${id}. Give it a token with: linecard-server token create --account ${id}`);
      });
    },
  }),
  command({
    words: 'list',
    about: 'Show all accounts.',
    settings: [...DATABASE, 'output'],
    async run(_args, { output, ...database }) {
      const accounts = await withStore(database, listAccounts, 'read');
      printRows(output, ['id', 'name', 'created_at'], accounts);
    },
  }),
];
