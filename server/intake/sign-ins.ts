// Sign-in links for the customers of a portal: its backend requests one with an operator's token
// (docs/how-to/sign-customers-in-from-your-portal.md). A link works more than once: only `serve` could record
// that it was used, and it writes nothing for a request.

import { lists } from '@linecard/client/contract';
import { Problem } from '@linecard/client/contract/problems';
import { shown } from '@linecard/client/contract/query-faults';
import { nearest } from '@linecard/client/contract/suggestion';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { listed } from '@linecard/client/contract/wording';
import type { FastifyBaseLogger } from 'fastify';
import { isConsolePath } from '../http/console.ts';
import { accountIdFault } from '../store/accounts.ts';
import { createSignIn, deleteEndedSignIns, endSignIn, type SignIn } from '../store/sign-ins.ts';
import type { WithStore } from '../store/store.ts';
import type { ListName } from '../store/tables.ts';
import { type JsonAnswer, type JsonCall, type JsonRoute, type MemberFault, rejected } from './json-routes.ts';
import { isName, NAME_FORM } from './webhook-scope.ts';

const SIGN_INS = '/intake/v1/sign-ins';
const SECONDS = { min: 300, max: 86_400, default: 3_600 } as const;
const MAX_VIEW_CHARACTERS = 2_000;
const CLEANUP_MILLISECONDS = 3_600_000;
const LIST_NAMES = Object.keys(lists) as ListName[];
/** What may be in a path and its query. The fragment is the token. */
const IN_URLS = /^[\w!$%&'()*+,./:;=?@~[\]-]+$/;
const [CREATED, NO_CONTENT] = [201, 204];
const EXAMPLE = '/virtual-numbers?is_spammed=true';

interface SignInRequest {
  readonly account: string;
  readonly name: string;
  readonly expires_in: number;
  readonly lists: readonly ListName[] | null;
  readonly charges: boolean;
  readonly view: string;
}

function isView(value: string): boolean {
  const [path = ''] = value.split('?');
  return value.length <= MAX_VIEW_CHARACTERS && IN_URLS.test(value) && isConsolePath(path);
}

/** For each member, what is wrong with a value; `undefined` if nothing is. */
const MEMBERS: { readonly [M in keyof SignInRequest]: (value: unknown) => string | undefined } = {
  account(value) {
    if (value === undefined) return 'is missing: name the account of the customer';
    return typeof value === 'string' ? accountIdFault(value) : 'must be a text: the id of an account';
  },
  name: (value = '') => (isName(value) ? undefined : NAME_FORM),
  expires_in(value = SECONDS.default) {
    const { min, max } = SECONDS;
    return Number.isInteger(value) && Number(value) >= min && Number(value) <= max
      ? undefined
      : `must be an integer from ${min} to ${max}, in seconds`;
  },
  lists(value = LIST_NAMES) {
    const isKnown = (one: unknown) => LIST_NAMES.includes(one as ListName);
    return Array.isArray(value) && value.length > 0 && value.every(isKnown)
      ? undefined
      : `must be an array of ${listed(LIST_NAMES, 'or')}, or left out for all`;
  },
  charges: (value = true) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  view(value = '/') {
    return typeof value === 'string' && isView(value)
      ? undefined
      : `must be a path of the console, percent-encoded and without a fragment, such as ${EXAMPLE}`;
  },
};
const NAMES = Object.keys(MEMBERS) as (keyof SignInRequest)[];

/** @throws {Problem} `rejected`, with every fault. */
function requestOf(given: JsonCall['body']): SignInRequest {
  const unknown = Object.keys(given).flatMap((name): MemberFault[] => {
    if (NAMES.includes(name as keyof SignInRequest)) return [];
    const meant = nearest(name, NAMES);
    const hint = meant === undefined ? `Known are ${listed(NAMES)}.` : `Did you mean ${meant}?`;
    return [{ member: shown(name), detail: `${shown(name)} is not a member of a sign-in. ${hint}` }];
  });
  const wrong = NAMES.flatMap((name): MemberFault[] => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    const fault = MEMBERS[name](value);
    return fault === undefined ? [] : [{ member: name, detail: `${name} ${fault}.` }];
  });
  if (wrong.length + unknown.length > 0) throw rejected([...wrong, ...unknown]);
  const {
    account,
    name = '',
    expires_in = SECONDS.default,
    lists: seen = null,
    charges = true,
    view = '/',
  } = given as Partial<SignInRequest> & Pick<SignInRequest, 'account'>;
  return { account, name, expires_in, lists: seen, charges, view };
}

export interface SignInSettings {
  /** Runs work on a connection that waits for no import. */
  readonly own: WithStore;
  readonly publicUrl: string | undefined;
  readonly logger: FastifyBaseLogger;
}

export function signInRoutes({ own, publicUrl, logger }: SignInSettings): readonly JsonRoute[] {
  /** When those that ended were last deleted. */
  let cleanedAt = Number.NEGATIVE_INFINITY;

  /** Deletes old ones. A role that may not delete must not keep customers from signing in. */
  async function clean(): Promise<void> {
    const now = performance.now();
    if (now < cleanedAt + CLEANUP_MILLISECONDS) return;
    cleanedAt = now;
    await own(deleteEndedSignIns).catch((err: unknown) => {
      logger.warn({ err }, 'could not delete sign-ins that ended a week ago');
    });
  }

  async function create({ sender, body }: JsonCall): Promise<JsonAnswer> {
    if (publicUrl === undefined)
      throw new Problem(
        'unavailable',
        'This intake does not know where the console is: start it with --public-url.',
      );
    const { account, name, lists: seen, charges, view, expires_in } = requestOf(body);
    if (sender.accounts?.includes(account) === false)
      throw new Problem('forbidden', `This token may not sign in to the account ${JSON.stringify(account)}.`);
    const expires_at = Date.now() + 1_000 * expires_in;
    const request: SignIn = { account_id: account, name, expires_at, lists: seen, charges };
    const created = await own((store) => createSignIn(store, request, sender.name));
    if (created === undefined)
      throw new Problem('not-found', `There is no account ${JSON.stringify(account)}, or it is disabled.`);
    const { id, token } = created;
    logger.info({ sender: sender.name, account, token_id: id }, 'created a sign-in');
    await clean();
    return {
      status: CREATED,
      body: { id, url: `${publicUrl}${view}#token=${token}`, expires_at: timestampOf(expires_at) },
    };
  }

  async function end({ sender, id }: JsonCall): Promise<JsonAnswer> {
    const isThere = await own((store) => endSignIn(store, id, sender.accounts, sender.name));
    if (!isThere) throw new Problem('not-found', 'There is no such sign-in.');
    return { status: NO_CONTENT };
  }

  return [
    { method: 'POST', url: SIGN_INS, operation: 'sign-in', run: create },
    { method: 'DELETE', url: `${SIGN_INS}/:id`, operation: 'sign-in', run: end },
  ];
}
