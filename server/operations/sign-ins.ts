// Sign-in links for the customers of a portal: its backend requests one with an operator's token
// (docs/how-to/sign-customers-in-from-your-portal.md). A link works more than once: only `serve` could record
// that it was used, and it writes nothing for a request.

import { timestampOf } from '@linecard/client/contract/timestamp';
import type { Logger } from 'pino';
import { isConsolePath } from '../http/console.ts';
import { createSignIn, deleteEndedSignIns, endSignIn, type SignIn } from '../store/access/sign-ins.ts';
import type { Store } from '../store/store.ts';
import { type Field, integerField, nameField, required, Wrong, withDefault } from './field.ts';
import { accountId, answered, chargesField, EXAMPLE_TIME, listsField, TIME } from './members.ts';
import { type AnyOperation, anyId, isOf, operation, Unable } from './operation.ts';
import { shapeSchema } from './shape.ts';

const SECONDS = { min: 300, max: 86_400, default: 3_600 } as const;
const MAX_VIEW_CHARACTERS = 2_000;
const CLEANUP_MILLISECONDS = 3_600_000;
/** What may be in a path and its query. The fragment is the token. */
const IN_URLS = /^[\w!$%&'()*+,./:;=?@~[\]-]+$/;
const EXAMPLE = '/virtual-numbers?is_spammed=true';
const ID = anyId('The id of the sign-in.', '4fTq0Vb2LxYz');

function isView(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const [path = ''] = value.split('?');
  return value.length <= MAX_VIEW_CHARACTERS && IN_URLS.test(value) && isConsolePath(path);
}

const view: Field<string> = {
  about: 'A path of the console with its query.',
  example: EXAMPLE,
  schema: { type: 'string', maxLength: MAX_VIEW_CHARACTERS },
  read: (value) =>
    isView(value)
      ? value
      : new Wrong(
          `must be a path of the console, percent-encoded and without a fragment, such as ${EXAMPLE}`,
        ),
};

const TAKES = {
  account: required(
    accountId('The account, which is there and enabled.'),
    'is missing: name the account of the customer',
  ),
  name: withDefault(
    nameField({
      about: 'Who signs in; shown in the console and in the audit log.',
      example: 'Ada at portal',
    }),
    '',
  ),
  expires_in: withDefault(
    integerField(
      { ...SECONDS, unit: ', in seconds' },
      { about: 'How long it is valid, in seconds.', example: 3_600 },
    ),
    SECONDS.default,
  ),
  lists: listsField('The lists that it sees; all if left out.', ', or left out for all'),
  charges: withDefault(chargesField, true),
  view: withDefault(view, '/'),
} as const;

const ANSWER = {
  id: answered('The id of the sign-in.', { type: 'string' }, '4fTq0Vb2LxYz'),
  url: answered(
    'The link, to redirect the browser to. It is a credential until it expires.',
    { type: 'string', format: 'uri' },
    `https://numbers.example.com${EXAMPLE}#token=lc_…`,
  ),
  expires_at: answered('When it expires.', TIME, EXAMPLE_TIME),
};

export interface SignInSettings {
  readonly publicUrl: string | undefined;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** Deletes old ones, now and then. A role that may not delete must not keep customers from signing in. */
function cleaner({ logger }: SignInSettings): (store: Store) => Promise<void> {
  let cleanedAt = Number.NEGATIVE_INFINITY;
  return async (store) => {
    const now = performance.now();
    if (now < cleanedAt + CLEANUP_MILLISECONDS) return;
    cleanedAt = now;
    await deleteEndedSignIns(store).catch((err: unknown) => {
      logger.warn({ err }, 'could not delete sign-ins that ended a week ago');
    });
  };
}

const CREATE = {
  words: 'sign-in create',
  title: 'Create a sign-in link',
  about:
    'A link to the console that signs a customer in until it expires. It works more than once: do not mail it, log it or cache it.',
  of: 'a sign-in',
  takes: TAKES,
  shown: ['account', 'name', 'view'],
  route: {
    method: 'POST',
    path: '/sign-ins',
    status: 201,
    permission: 'sign-in',
    on: 'own',
    answer: { schema: shapeSchema(ANSWER, 'SignIn'), about: 'The link, which no later answer repeats.' },
  },
} as const;

function createOperation(settings: SignInSettings) {
  const { publicUrl, logger } = settings;
  const clean = cleaner(settings);
  return operation({
    ...CREATE,
    mustBePossible() {
      if (publicUrl !== undefined) return;
      throw new Unable(
        'unavailable',
        'This intake does not know where the console is: start it with --public-url.',
      );
    },
    async run({ store, by }, { account, name, lists = null, charges, view: shownView, expires_in }) {
      if (!isOf(by, account))
        throw new Unable(
          'forbidden',
          `This token may not sign in to the account ${JSON.stringify(account)}.`,
        );
      const expires_at = Date.now() + 1_000 * expires_in;
      const request: SignIn = { account_id: account, name, expires_at, lists, charges };
      const created = await createSignIn(store, request, by.actor);
      if (created === undefined)
        throw new Unable('not-found', `There is no account ${JSON.stringify(account)}, or it is disabled.`);
      const { id, token } = created;
      logger.info({ sender: by.actor, account, token_id: id }, 'created a sign-in');
      await clean(store);
      return { id, url: `${publicUrl}${shownView}#token=${token}`, expires_at: timestampOf(expires_at) };
    },
  });
}

const endOperation = operation({
  words: 'sign-in delete',
  title: 'End a sign-in',
  about: 'Its link and its token are not valid any more. To repeat it does no harm.',
  of: 'the request',
  id: ID,
  takes: {},
  route: { method: 'DELETE', path: '/sign-ins/{id}', status: 204, permission: 'sign-in', on: 'own' },
  async run({ store, by }, _given, id) {
    if (!(await endSignIn(store, id, by.accounts, by.actor)))
      throw new Unable('not-found', 'There is no such sign-in.');
  },
});

export const signInOperations = (settings: SignInSettings): readonly AnyOperation[] => [
  createOperation(settings),
  endOperation,
];
