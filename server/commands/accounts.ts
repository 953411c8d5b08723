// `linecard-server account`: creates, lists, changes, disables and deletes accounts.

import { lists } from '@linecard/client/contract';
import { Failed, WrongUsage } from '../errors.ts';
import { NO_CURRENCY } from '../settings/kinds.ts';
import {
  ACCOUNT_COLUMNS,
  accountIdFault,
  type Belongings,
  belongingsOf,
  createAccount,
  deleteAccount,
  disableAccount,
  enableAccount,
  listAccounts,
  updateAccount,
} from '../store/accounts.ts';
import type { ChangeStore } from '../store/audit.ts';
import { type CommandDefinition, command, DATABASE, withStore, withStoreOnFullDisk } from './command.ts';
import { confirm } from './confirm.ts';
import { count, printRows, say, typed } from './print.ts';

/** Deleting the items of a large account may take long, and so may waiting for an import to end. */
const DELETE_MILLISECONDS = 600_000;

function currencyOf(setting: string | undefined): string | null | undefined {
  return setting === NO_CURRENCY ? null : setting;
}

function noAccount(id: string): Failed {
  return new Failed(`There is no account ${id}. See: linecard-server account list`);
}

/** `3 virtual numbers, 1 additional service and 2 tokens` */
function belongingsText({ items, tokens }: Belongings): string {
  const parts = Object.values(lists).map(
    ({ name, title }) => `${count(items[name] ?? 0)} ${title.toLowerCase()}`,
  );
  return `${parts.join(', ')} and ${count(tokens)} token${tokens === 1 ? '' : 's'}`;
}

export const accountCommands: readonly CommandDefinition[] = [
  command({
    words: 'create <id>',
    about: 'Create an account; its id is your own customer id, any text of 1 to 100 characters.',
    settings: [...DATABASE, 'name', 'account_currency'],
    examples: ['linecard-server account create harbour-dental --name "Harbour Dental" --currency EUR'],
    async run([id = ''], { name, account_currency, ...database }) {
      const fault = accountIdFault(id);
      if (fault !== undefined) throw new WrongUsage(`The id of an account ${fault}.`);
      await withStore(database, async (store) => {
        const what = { name, currency: currencyOf(account_currency) };
        if (!(await createAccount(store, id, what))) throw new Failed(`The account ${id} already exists.`);
        say(
          `Created the account ${id}. Create a token for it with: linecard-server token create --account ${typed(id)}`,
        );
      });
    },
  }),
  command({
    words: 'list',
    about: 'Show all accounts.',
    settings: [...DATABASE, 'json'],
    async run(_args, { json, ...database }) {
      const accounts = await withStore(database, listAccounts, 'read');
      printRows(json, ACCOUNT_COLUMNS, accounts);
    },
  }),
  command({
    words: 'update <id>',
    about: "Change an account's name, its currency, or both.",
    settings: [...DATABASE, 'name', 'account_currency'],
    examples: ['linecard-server account update harbour-dental --currency GBP'],
    async run([id = ''], { name, account_currency, ...database }) {
      if (name === undefined && account_currency === undefined)
        throw new WrongUsage('Specify what to change: --name NAME, --currency CODE, or both.');
      const what = { name, currency: currencyOf(account_currency) };
      const found = await withStore(database, (store) => updateAccount(store, id, what), 'change');
      if (!found) throw noAccount(id);
      say(`Changed the account ${id}.`);
    },
  }),
  command({
    words: 'disable <id>',
    about: "Reject the account's tokens, within 5 seconds; items and tokens are not deleted.",
    settings: [...DATABASE],
    async run([id = ''], database) {
      const onWait = () =>
        say(
          `The tokens of ${id} are rejected. Waiting for an import to end before the account is marked as disabled.`,
        );
      const work = (store: ChangeStore) => disableAccount(store, id, onWait);
      if (!(await withStoreOnFullDisk(database, work))) throw noAccount(id);
      say(
        `Disabled the account ${id}. To accept its tokens again: linecard-server account enable ${typed(id)}`,
      );
    },
  }),
  command({
    words: 'enable <id>',
    about: "Accept the account's tokens again.",
    settings: [...DATABASE],
    async run([id = ''], database) {
      if (!(await withStore(database, (store) => enableAccount(store, id), 'change'))) throw noAccount(id);
      say(`Enabled the account ${id}.`);
    },
  }),
  command({
    words: 'delete <id>',
    about: 'Delete an account with its items and tokens, after confirmation.',
    settings: [...DATABASE, 'yes'],
    async run([id = ''], { yes, ...database }) {
      const work = async (store: Parameters<typeof belongingsOf>[0]) => {
        const belongings = await belongingsOf(store, id);
        if (belongings === undefined) throw noAccount(id);
        const text = belongingsText(belongings);
        if (!yes && !(await confirm(`Delete the account ${id} with ${text}?`)))
          throw new Failed('Nothing was deleted.');
        if (!(await deleteAccount(store, id))) throw noAccount(id);
        say(`Deleted the account ${id} with ${text}.`);
      };
      await withStore(database, work, 'change', { timeoutMs: DELETE_MILLISECONDS });
    },
  }),
];
