// Accounts: created, listed, shown, changed, disabled and enabled.

import { accountPage, type CountedAccount, findAccount } from '../store/access/account-pages.ts';
import {
  type AccountChange,
  createAccount,
  disableAccount,
  enableAccount,
  updateAccount,
} from '../store/access/accounts.ts';
import { finishRenames, renameAccount } from '../store/rename.ts';
import type { ListName } from '../store/tables.ts';
import { deleteAccountOperation, eraseAccountOperation } from './account-deletion.ts';
import { ACCOUNT, CHANGE, ID, NEW, PATH } from './account-shape.ts';
import { noAccount, onceFree, writeBelow } from './account-writing.ts';
import { line, required } from './field.ts';
import { accountId, LIST_NAMES, newAccountId, PAGE, pageOf, pageSchema } from './members.ts';
import { type Actor, type Context, mustBeOwn, type OperationRoute, operation, Unable } from './operation.ts';
import { type Given, shapeSchema } from './shape.ts';

const MAX_SEARCHED_CHARACTERS = 100;

type AccountView = Omit<CountedAccount, ListName> &
  Readonly<Record<ListName, number | null>> & { readonly disabled: boolean };

/** An account as it is shown, without how many items lists have that the token does not see. */
function viewOf({ limits }: Actor, account: CountedAccount): AccountView {
  const { id, name, currency, parent_id, created_at, updated_at, disabled_at, ...counts } = account;
  const about = { id, name, currency, parent_id, disabled: disabled_at !== null };
  const isSeen = (list: ListName) => limits?.lists?.includes(list) ?? true;
  const seen = Object.fromEntries(LIST_NAMES.map((list) => [list, isSeen(list) ? counts[list] : null]));
  return { ...about, ...(seen as typeof counts), created_at, updated_at, disabled_at };
}

/** @throws {Unable} */
async function mustView(context: Context, id: string): Promise<AccountView> {
  const found = await findAccount(context.store, id);
  if (found === undefined) throw await noAccount(context, id);
  return viewOf(context.by, found);
}

const answer = { schema: shapeSchema(ACCOUNT, 'Account'), about: 'The account.' };
const routeOf = (
  method: OperationRoute['method'],
  path: string,
  on: OperationRoute['on'] = 'slow',
): OperationRoute => ({ method, path, status: 200, permission: 'accounts', on, answer });

/** What changes; null empties. */
const changeOf = ({ name, currency }: Given<typeof CHANGE>): AccountChange => ({
  name: name === null ? '' : name,
  currency,
});

/** Creates an account; false when it is there. */
async function create(context: Context, id: string, given: Given<typeof CHANGE>): Promise<boolean> {
  const { store, by } = context;
  const { parent_id } = given;
  // Tokens of an account that had the id must not be those of the new one.
  await finishRenames(store);
  if (parent_id !== undefined && parent_id !== null)
    return writeBelow(context, id, changeOf(given), { parent_id, isNew: true });
  return onceFree(context, () => createAccount(store, id, changeOf(given), by));
}

/** Changes an account; false when it is not there. */
function change(context: Context, id: string, given: Given<typeof CHANGE>): Promise<boolean> {
  const { store, by } = context;
  const { parent_id } = given;
  if (parent_id !== undefined) return writeBelow(context, id, changeOf(given), { parent_id, isNew: false });
  return onceFree(context, () => updateAccount(store, id, changeOf(given), by));
}

export const createAccountOperation = operation({
  words: 'account create',
  title: 'Create an account',
  about: 'Create an account; its id is your own customer id, any text of 1 to 100 characters.',
  of: 'an account',
  takes: NEW,
  shown: ['id', 'name', 'currency'],
  route: { ...routeOf('POST', '/accounts'), status: 201, hasLocation: true },
  async run(context, { id, ...given }) {
    mustBeOwn(context.by, id, 'create');
    if (!(await create(context, id, given)))
      throw new Unable('conflict', `The account ${id} already exists.`);
    return mustView(context, id);
  },
});

const putAccountOperation = operation({
  words: 'account put',
  title: 'Create or change an account',
  about:
    'Creates the account, or changes it if it is there. If an answer is lost, repeat the request. Members that are left out stay as they are.',
  of: 'an account',
  id: ID,
  takes: CHANGE,
  shown: ['name', 'currency'],
  route: routeOf('PUT', PATH),
  async run(context, given, id) {
    mustBeOwn(context.by, id, 'write');
    const isNew = await create(context, id, given);
    if (!isNew) await changeGiven(context, id, given);
    return { isNew, account: await mustView(context, id) };
  },
  outcome: ({ isNew, account }) => ({ status: isNew ? 201 : 200, body: account }),
});

/** @throws {Unable} */
async function changeGiven(context: Context, id: string, given: Given<typeof CHANGE>): Promise<void> {
  if (Object.values(given).every((value) => value === undefined)) return;
  if (!(await change(context, id, given))) throw await noAccount(context, id);
}

export const updateAccountOperation = operation({
  words: 'account update',
  title: 'Change an account',
  about: "Change an account's name, its currency, or the account above it.",
  of: 'an account',
  id: ID,
  takes: CHANGE,
  shown: ['currency'],
  route: routeOf('PATCH', PATH),
  async run(context, given, id) {
    mustBeOwn(context.by, id, 'write');
    await changeGiven(context, id, given);
    return mustView(context, id);
  },
});

const listAccountsOperation = operation({
  words: 'account list',
  title: 'List accounts',
  about: 'The accounts that the token may write, by id, with how many items each list has.',
  of: 'the request',
  takes: {
    q: line(MAX_SEARCHED_CHARACTERS, {
      about: 'A part of the id or the name, in any case.',
      example: 'harbour',
    }),
    parent: accountId('Only those directly below this account.'),
    ...PAGE,
  },
  route: {
    ...routeOf('GET', '/accounts', 'read'),
    answer: { schema: pageSchema('Account', ACCOUNT), about: 'A page of accounts.' },
  },
  async run({ store, by }, { q, parent, page, page_size }) {
    const choice = { accounts: by.accounts, q, parent, limit: page_size, offset: (page - 1) * page_size };
    const { total, accounts } = await accountPage(store, choice);
    return pageOf(
      accounts.map((one) => viewOf(by, one)),
      { page, page_size },
      total,
    );
  },
});

export const showAccountOperation = operation({
  words: 'account show',
  title: 'Show an account',
  about: 'Show an account, with how many items each list has.',
  of: 'the request',
  id: ID,
  takes: {},
  route: routeOf('GET', PATH, 'read'),
  run(context, _given, id) {
    mustBeOwn(context.by, id, 'read');
    return mustView(context, id);
  },
});

/** An act that takes only the account, and shows it afterwards; `write` is false where there is none. */
const stateOperation = (
  verb: string,
  texts: { readonly title: string; readonly about: string },
  write: (context: Context, id: string) => Promise<boolean>,
) =>
  operation({
    words: `account ${verb}`,
    ...texts,
    of: 'the request',
    id: ID,
    takes: {},
    route: routeOf('POST', `${PATH}/${verb}`),
    async run(context, _given, id) {
      mustBeOwn(context.by, id, 'write');
      if (!(await write(context, id))) throw await noAccount(context, id);
      return mustView(context, id);
    },
  });

export const disableAccountOperation = stateOperation(
  'disable',
  {
    title: 'Disable an account',
    about: "Reject the account's tokens, within 5 seconds; items and tokens are not deleted.",
  },
  ({ store, by, waits }, id) => disableAccount(store, id, waits, by),
);

export const enableAccountOperation = stateOperation(
  'enable',
  { title: 'Enable an account', about: "Accept the account's tokens again." },
  (context, id) => onceFree(context, () => enableAccount(context.store, id, context.by)),
);

export const renameAccountOperation = operation({
  words: 'account rename',
  title: 'Rename an account',
  about:
    'Give an account another id. Everything moves with it: items, tokens, webhooks with their positions, accounts below it and history. An import that names the former id is refused.',
  of: 'the request',
  id: ID,
  takes: {
    new_id: required(newAccountId('The new id: any text of 1 to 100 characters that no account has.')),
  },
  shown: ['new_id'],
  route: routeOf('POST', `${PATH}/rename`),
  async run(context, { new_id }, id) {
    const { store, by, waits } = context;
    mustBeOwn(by, id, 'rename');
    mustBeOwn(by, new_id, 'create');
    const outcome = await renameAccount(store, id, new_id, by, waits);
    if (outcome === 'unknown') throw await noAccount(context, id);
    if (outcome === 'taken') throw new Unable('conflict', `The account ${new_id} already exists.`);
    if (outcome === 'resting')
      throw new Unable(
        'conflict',
        `Another account had the id ${new_id} until a moment ago. Try again in ten seconds, when every process knows.`,
      );
    return mustView(context, new_id);
  },
});

export const accountOperations = [
  listAccountsOperation,
  createAccountOperation,
  showAccountOperation,
  putAccountOperation,
  updateAccountOperation,
  disableAccountOperation,
  enableAccountOperation,
  renameAccountOperation,
  deleteAccountOperation,
  eraseAccountOperation,
];
