// Tokens: created, listed, shown, rotated and revoked. Those of operators are for the command line alone:
// over HTTP none is created or seen.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { hasAccount } from '../store/access/accounts.ts';
import { tokenPage } from '../store/access/token-batch.ts';
import {
  type CreatedToken,
  type CustomerToken,
  createToken,
  endToken,
  findToken,
  forgetToken,
  type OperatorToken,
  revokeToken,
  succeedToken,
} from '../store/access/tokens.ts';
import type { ChangeStore } from '../store/log/audit.ts';
import { noAccount } from './account-writing.ts';
import { durationField, withDefault } from './field.ts';
import { accountId, PAGE, pageOf, pageSchema } from './members.ts';
import { type Actor, anyId, type Context, isOf, mustBeOwn, operation, Unable } from './operation.ts';
import { shapeSchema } from './shape.ts';
import { NEW, NEW_TOKEN, ROTATED_TOKEN, TOKEN } from './token-shape.ts';

const OVERLAP_MILLISECONDS = 86_400_000;
const ID = anyId('The id of the token.', '4fTq0Vb2LxYz');

type AnyToken = CustomerToken | OperatorToken;

/** A token that is shown once. */
export type NewToken = AnyToken & { readonly token: string };

const mustCreate = (account: string) =>
  ({ lead: 'Create it with', words: 'account create', rest: account }) as const;
const noToken = (token_id: string) =>
  new Unable('not-found', `There is no token ${token_id}.`, { words: 'token list' });

/** @throws {Unable} for a token that the actor may not know of, as for one that is not there. */
async function mustFind(store: ChangeStore, by: Actor, token_id: string): Promise<AnyToken> {
  const found = await findToken(store, token_id);
  if (found === undefined) throw noToken(token_id);
  const isSeen = 'may' in found ? by.origin === 'command' : isOf(by, found.account_id);
  if (!isSeen) throw noToken(token_id);
  return found;
}

/** Hands a new token to its user. If that fails, it is deleted: nobody has received it. */
async function handedOver({ store, by, handOver }: Context, created: CreatedToken): Promise<NewToken> {
  const { id, ...rest } = await mustFind(store, by, created.id);
  try {
    await handOver?.(created, rest);
  } catch (error) {
    await forgetToken(store, id);
    throw error;
  }
  return { id, token: created.token, ...rest };
}

/** @throws {Unable} for a token that reads more accounts than those that the actor may write. */
function mustBeWithin({ accounts }: Actor, token: Pick<CustomerToken, 'reach'> | OperatorToken): void {
  if (accounts === undefined || !('reach' in token) || token.reach === 'account') return;
  throw new Unable(
    'forbidden',
    'This token is bound to accounts, so it cannot make a token with the reach tree, which reads others too.',
  );
}

export const createTokenOperation = operation({
  words: 'token create',
  title: 'Create a token',
  about:
    'A token of an account, with limits if you like. It is in this answer alone. If the answer is lost, revoke the newest token of that name, and create another.',
  of: 'a token',
  takes: NEW,
  shown: ['account_id', 'name', 'expires_in', 'lists', 'charges'],
  route: {
    method: 'POST',
    path: '/tokens',
    status: 201,
    permission: 'tokens',
    on: 'own',
    hasLocation: true,
    answer: { schema: shapeSchema(NEW_TOKEN, 'NewToken'), about: 'The token.' },
  },
  async run(context, { account_id, name, expires_in, ...limits }): Promise<NewToken> {
    const { store, by } = context;
    mustBeOwn(by, account_id, 'create tokens of');
    mustBeWithin(by, limits);
    const expiresAt = expires_in === null ? undefined : Date.now() + expires_in;
    const created = await createToken(store, account_id, name, expiresAt, limits, by);
    if (created === undefined) throw await noAccount(context, account_id, mustCreate(account_id));
    return handedOver(context, created);
  },
});

const listTokensOperation = operation({
  words: 'token list',
  title: 'List tokens',
  about: 'The tokens of customers by account and age, sign-ins among them, and never the tokens themselves.',
  of: 'the request',
  takes: {
    account: accountId('Only those of this account.'),
    expiring: durationField({ about: 'Only those that end within this time.', example: '14d' }),
    ...PAGE,
  },
  route: {
    method: 'GET',
    path: '/tokens',
    status: 200,
    permission: 'tokens',
    on: 'own',
    answer: { schema: pageSchema('Token', TOKEN), about: 'A page of tokens.' },
  },
  async run(context, { account, expiring, page, page_size }) {
    const { store, by } = context;
    if (account !== undefined) {
      mustBeOwn(by, account, 'read');
      if (!(await hasAccount(store, account))) throw await noAccount(context, account, mustCreate(account));
    }
    const accounts = account === undefined ? by.accounts : [account];
    const endsBefore = expiring === undefined ? undefined : timestampOf(Date.now() + expiring);
    const choice = { accounts, endsBefore, limit: page_size, offset: (page - 1) * page_size };
    const { total, tokens } = await tokenPage(store, choice);
    return pageOf(tokens, { page, page_size }, total);
  },
});

export const showTokenOperation = operation({
  words: 'token show',
  title: 'Show a token',
  about: 'What is known of a token, without the token itself.',
  of: 'the request',
  id: ID,
  takes: {},
  route: {
    method: 'GET',
    path: '/tokens/{id}',
    status: 200,
    permission: 'tokens',
    on: 'own',
    answer: { schema: shapeSchema(TOKEN, 'Token'), about: 'The token.' },
  },
  run: ({ store, by }, _given, token_id) => mustFind(store, by, token_id),
});

export const rotateTokenOperation = operation({
  words: 'token rotate',
  title: 'Replace a token',
  about:
    'Creates a token of the same account, name and limits, valid for as long as the old one was created for. The old one expires after the overlap.',
  of: 'the request',
  id: ID,
  takes: {
    overlap: withDefault(
      durationField(
        {
          about: 'How long the old token stays valid; 0m ends it now, and it is 24h if left out.',
          example: '7d',
        },
        true,
      ),
      OVERLAP_MILLISECONDS,
    ),
  },
  shown: ['overlap'],
  route: {
    method: 'POST',
    path: '/tokens/{id}/rotate',
    status: 201,
    permission: 'tokens',
    on: 'own',
    answer: { schema: shapeSchema(ROTATED_TOKEN, 'RotatedToken'), about: 'The new token.' },
  },
  async run(context, { overlap }, token_id) {
    const { store, by } = context;
    mustBeWithin(by, await mustFind(store, by, token_id));
    const created = await succeedToken(store, token_id, by);
    if (created === undefined)
      throw new Unable('not-found', `There is no valid token ${token_id}.`, { words: 'token list' });
    const made = await handedOver(context, created);
    await endToken(store, token_id, Date.now() + overlap, by);
    const { expires_at } = await mustFind(store, by, token_id);
    return { ...made, replaces: { id: token_id, expires_at } };
  },
});

export const revokeTokenOperation = operation({
  words: 'token revoke',
  title: 'Revoke a token',
  about: 'Ends it for good, within 5 seconds. To repeat it does no harm.',
  of: 'the request',
  id: ID,
  takes: {},
  route: { method: 'DELETE', path: '/tokens/{id}', status: 204, permission: 'tokens', on: 'own' },
  /** Whether it was not revoked before. */
  async run({ store, by }, _given, token_id): Promise<boolean> {
    await mustFind(store, by, token_id);
    return (await revokeToken(store, token_id, by)) === 'revoked';
  },
});

export const tokenOperations = [
  listTokensOperation,
  createTokenOperation,
  showTokenOperation,
  rotateTokenOperation,
  revokeTokenOperation,
];
