// `linecard-server account`: creates, lists, changes, disables and deletes accounts.

import { lists } from '@linecard/client/contract';
import { listed } from '@linecard/client/contract/wording';
import { Failed, WrongUsage } from '../errors.ts';
import { NO_CURRENCY } from '../settings/money.ts';
import {
  ACCOUNT_COLUMNS,
  accountBatches,
  accountsBelow,
  type Belongings,
  belongingsOf,
  createAccount,
  deleteAccount,
  disableAccount,
  enableAccount,
  newAccountIdFault,
  updateAccount,
} from '../store/accounts.ts';
import type { ChangeStore } from '../store/audit.ts';
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
import { count, counted, mustConfirm, printRows, say, typed } from './print.ts';

/** Deleting the items of a large account may take long, and so may waiting for an import to end. */
const DELETE_MILLISECONDS = 600_000;
const MAX_SHOWN_BELOW = 3;

function currencyOf(setting: string | undefined): string | null | undefined {
  return setting === NO_CURRENCY ? null : setting;
}

function noAccount(id: string): Failed {
  return new Failed(`There is no account ${id}. See: linecard-server account list`);
}

/** @throws {Failed} when others are below the account. */
async function mustHaveNoneBelow(store: Store, id: string): Promise<void> {
  const below = await accountsBelow(store, id, MAX_SHOWN_BELOW + 1);
  const [first] = below;
  if (first === undefined) return;
  const shown = listed([
    ...below.slice(0, MAX_SHOWN_BELOW),
    ...(below.length > MAX_SHOWN_BELOW ? ['others'] : []),
  ]);
  throw new Failed(
    `Below ${id} there ${below.length === 1 ? 'is' : 'are'} ${shown}. Delete what is below it first, or move it: linecard-server account update ${typed(first)} --parent none`,
  );
}

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
    about: 'Create an account; its id is your own customer id, any text of 1 to 100 characters.',
    takes: [...DATABASE, 'name', 'account_currency', 'parent'],
    examples: ['linecard-server account create harbour-dental --name "Harbour Dental" --currency EUR'],
    async run([id = ''], { name, account_currency, parent, ...database }) {
      const fault = newAccountIdFault(id);
      if (fault !== undefined) throw new WrongUsage(`The id of an account ${fault}.`);
      await withWrittenStore(database, async (store) => {
        const what = { name, currency: currencyOf(account_currency) };
        const isCreated =
          parent === undefined
            ? await createAccount(store, id, what)
            : await (await import('./account-parents.ts')).writeBelow(store, id, what, {
                parent,
                isNew: true,
              });
        if (!isCreated) throw new Failed(`The account ${id} already exists.`);
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
  command({
    words: 'update <id>',
    about: "Change an account's name, its currency, or the account above it.",
    takes: [...DATABASE, 'name', 'account_currency', 'parent'],
    examples: [
      'linecard-server account update harbour-dental --currency GBP',
      'linecard-server account update harbour-dental --parent reseller-1',
    ],
    async run([id = ''], { name, account_currency, parent, ...database }) {
      if (name === undefined && account_currency === undefined && parent === undefined)
        throw new WrongUsage('Specify what to change: --name NAME, --currency CODE or --parent ID.');
      const what = { name, currency: currencyOf(account_currency) };
      const update = async (store: Store) => {
        if (parent === undefined) return updateAccount(store, id, what);
        const { writeBelow } = await import('./account-parents.ts');
        return writeBelow(store, id, what, { parent, isNew: false });
      };
      const found = await withStore(database, update, 'change');
      if (!found) throw noAccount(id);
      say(`Changed the account ${id}.`);
    },
  }),
  command({
    words: 'disable <id>',
    about: "Reject the account's tokens, within 5 seconds; items and tokens are not deleted.",
    takes: [...DATABASE],
    async run([id = ''], database) {
      const onWait = () =>
        say(
          `The tokens of ${id} are rejected, and stay so if you stop this command. Waiting for an import to end before the account is marked as disabled.`,
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
    takes: [...DATABASE],
    async run([id = ''], database) {
      if (!(await withStore(database, (store) => enableAccount(store, id), 'change'))) throw noAccount(id);
      say(`Enabled the account ${id}.`);
    },
  }),
  command({
    words: 'delete <id>',
    about: 'Delete an account with its items and tokens, after confirmation.',
    takes: [...DATABASE, 'yes'],
    async run([id = ''], { yes, ...database }) {
      const work = async (store: Parameters<typeof belongingsOf>[0]) => {
        const belongings = await belongingsOf(store, id);
        if (belongings === undefined) throw noAccount(id);
        await mustHaveNoneBelow(store, id);
        const text = belongingsText(belongings);
        await mustConfirm(`Delete the account ${id} with ${text}?`, yes, 'Nothing was deleted.');
        if (!(await deleteAccount(store, id))) {
          await mustHaveNoneBelow(store, id);
          throw noAccount(id);
        }
        say(`Deleted the account ${id} with ${text}.`);
      };
      await withStore(database, work, 'change', { timeoutMs: DELETE_MILLISECONDS });
    },
  }),
];
