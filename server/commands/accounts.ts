// `linecard-server account`: creates, lists, shows, changes, renames, disables, deletes and erases accounts.

import { lists } from '@linecard/client/contract';
import { listed } from '@linecard/client/contract/wording';
import { WrongUsage } from '../errors.ts';
import { deleteAccountOperation, eraseAccountOperation } from '../operations/account-deletion.ts';
import { mustHaveNoneBelow } from '../operations/account-writing.ts';
import {
  createAccountOperation,
  disableAccountOperation,
  enableAccountOperation,
  renameAccountOperation,
  showAccountOperation,
  updateAccountOperation,
} from '../operations/accounts.ts';
import { NO_CURRENCY } from '../settings/money.ts';
import { NO_PARENT, type Options } from '../settings/options.ts';
import { type Belongings, belongingsOf } from '../store/access/account-pages.ts';
import { ACCOUNT_COLUMNS, accountBatches } from '../store/access/accounts.ts';
import { type ChangeStore, commandOrigin } from '../store/log/audit.ts';
import type { Store } from '../store/store.ts';
import {
  type CommandDefinition,
  command,
  DATABASE,
  withSnapshot,
  withStore,
  withStoreOnFullDisk,
  withWrittenStore,
} from './command.ts';
import { actCommand, failed, perform, readOptions, showCommand } from './operation.ts';
import { count, counted, mustConfirm, printRows, say, typed, WAITING } from './print.ts';

/** Deleting the items of a large account may take long, and so may waiting for an import to end. */
const DELETE_MILLISECONDS = 600_000;
const OPTIONS = { name: 'name', currency: 'account_currency', parent_id: 'parent' } as const;
const waits = { onWait: () => say(WAITING) };

type AccountOptions = Pick<Options, (typeof OPTIONS)[keyof typeof OPTIONS]>;

/** What options say of an account. */
const givenOf = ({ name, account_currency: currency, parent }: AccountOptions) => ({
  name,
  currency: currency === NO_CURRENCY ? null : currency,
  parent_id: parent === NO_PARENT ? null : parent,
});

/** `3 virtual numbers, 1 additional services and 2 tokens` */
function belongingsText({ items, tokens, webhooks }: Belongings): string {
  const parts = Object.values(lists).map(
    ({ name, title }) => `${count(items[name] ?? 0)} ${title.toLowerCase()}`,
  );
  return listed([
    ...parts,
    counted(tokens, 'token'),
    ...(webhooks === 0 ? [] : [counted(webhooks, 'webhook')]),
  ]);
}

export const accountCommands: readonly CommandDefinition[] = [
  command({
    words: 'create <id>',
    about: createAccountOperation.about,
    takes: [...DATABASE, 'name', 'account_currency', 'parent'],
    examples: ['linecard-server account create harbour-dental --name "Harbour Dental" --currency EUR'],
    async run([id = ''], { name, account_currency, parent, ...database }) {
      const given = { id, ...givenOf({ name, account_currency, parent }) };
      const read = readOptions(createAccountOperation, given, OPTIONS);
      await withWrittenStore(database, async (store) => {
        await perform(createAccountOperation, store, read, { waits, options: OPTIONS });
      });
      say(
        `Created the account ${id}. Create a token for it with: linecard-server token create --account ${typed(id)}`,
      );
    },
  }),
  command({
    words: 'list',
    about: 'Show all accounts.',
    takes: [...DATABASE, 'json'],
    async run(_args, { json, ...database }) {
      await withSnapshot(database, (snapshot) =>
        printRows(json, ACCOUNT_COLUMNS, () => accountBatches(snapshot)),
      );
    },
  }),
  showCommand(showAccountOperation, 'id', ['linecard-server account show harbour-dental']),
  command({
    words: 'update <id>',
    about: updateAccountOperation.about,
    takes: [...DATABASE, 'name', 'account_currency', 'parent'],
    examples: [
      'linecard-server account update harbour-dental --currency GBP',
      'linecard-server account update harbour-dental --parent reseller-1',
    ],
    async run([id = ''], { name, account_currency, parent, ...database }) {
      if (name === undefined && account_currency === undefined && parent === undefined)
        throw new WrongUsage('Specify what to change: --name NAME, --currency CODE or --parent ID.');
      const given = givenOf({ name, account_currency, parent });
      const read = readOptions(updateAccountOperation, given, OPTIONS);
      const update = async (store: Store) => {
        await perform(updateAccountOperation, store, read, { id, waits, options: OPTIONS });
      };
      await withStore(database, update, 'change');
      say(`Changed the account ${id}.`);
    },
  }),
  command({
    words: 'disable <id>',
    about: disableAccountOperation.about,
    takes: [...DATABASE],
    async run([id = ''], database) {
      const onWait = () =>
        say(
          `The tokens of ${id} are rejected, and stay so if you stop this command. Waiting for an import to end before the account is marked as disabled.`,
        );
      const work = (store: ChangeStore) =>
        perform(disableAccountOperation, store, {}, { id, waits: { onWait } });
      await withStoreOnFullDisk(database, work);
      say(
        `Disabled the account ${id}. To accept its tokens again: linecard-server account enable ${typed(id)}`,
      );
    },
  }),
  command({
    words: 'rename <id> <new_id>',
    about: renameAccountOperation.about,
    takes: [...DATABASE],
    examples: ['linecard-server account rename harbour-dental C1001'],
    async run([id = '', new_id], database) {
      const read = readOptions(renameAccountOperation, { new_id }, {});
      await withStore(
        database,
        (store) => perform(renameAccountOperation, store, read, { id, waits }),
        'change',
      );
      say(
        `Renamed the account ${id} to ${new_id}. Its tokens, webhooks and copies go on. Write ${new_id} into your files: imports that name ${id} are refused.`,
      );
    },
  }),
  actCommand(enableAccountOperation, 'id', (id) => `Enabled the account ${id}.`),
  command({
    words: 'delete <id>',
    about: deleteAccountOperation.about,
    takes: [...DATABASE, 'yes'],
    async run([id = ''], { yes, ...database }) {
      const work = async (store: Store) => {
        await failed(mustHaveNoneBelow({ store, by: commandOrigin() }, id));
        const belongings = await belongingsOf(store, id);
        const text = belongings === undefined ? '' : belongingsText(belongings);
        if (belongings !== undefined)
          await mustConfirm(`Delete the account ${id} with ${text}?`, yes, 'Nothing was deleted.');
        await perform(deleteAccountOperation, store, { confirm: id }, { id });
        say(`Deleted the account ${id} with ${text}.`);
      };
      await withStore(database, work, 'change', { timeoutMs: DELETE_MILLISECONDS });
    },
  }),
  command({
    words: 'erase <id>',
    about: eraseAccountOperation.about,
    takes: [...DATABASE, 'yes'],
    examples: ['linecard-server account erase harbour-dental'],
    async run([id = ''], { yes, ...database }) {
      const question = `Erase the names, addresses and texts of the account ${id} from what is recorded?`;
      await mustConfirm(question, yes, 'Nothing was erased.');
      await withStore(
        database,
        (store) => perform(eraseAccountOperation, store, { confirm: id }, { id, waits }),
        'change',
      );
      say(
        `Erased what was recorded of the account ${id}. Backups, exports and log files made before still have it.`,
      );
    },
  }),
];
