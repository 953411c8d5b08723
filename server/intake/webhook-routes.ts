// The routes of webhook endpoints, for a portal's backend: the same as the commands, as JSON.

import { invalidParameter, Problem } from '@linecard/client/contract/problems';
import { shown } from '@linecard/client/contract/query-faults';
import { Failed } from '../errors.ts';
import { options } from '../settings/options.ts';
import { accountIdFault } from '../store/accounts.ts';
import type { WithStore } from '../store/store.ts';
import { type JsonAnswer, type JsonCall, type JsonRoute, type MemberFault, rejected } from './json-routes.ts';
import { ScopeRefused } from './webhook-scope.ts';
import { type WebhookSettings, Webhooks } from './webhooks.ts';

const PATH = '/intake/v1/webhooks';
const ONE = `${PATH}/:id`;
const NO_CONTENT = 204;

/** A member of a body as an option is read; an absent one is `undefined`. */
function member<N extends 'overlap' | 'replay_from'>(
  name: string,
  option: N,
  value: unknown,
  faults: MemberFault[],
): (typeof options)[N]['default'] {
  if (value === undefined) return undefined;
  const found = typeof value === 'string' ? options[option].read(value) : undefined;
  if (found === undefined)
    faults.push({ member: name, detail: `${name} must be ${options[option].allowed}.` });
  return found;
}

/** @throws {Problem} `rejected` for members that the request does not take. */
function mustTake(body: JsonCall['body'], known: readonly string[], faults: MemberFault[] = []): void {
  for (const name of Object.keys(body)) {
    if (known.includes(name)) continue;
    const hint = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`;
    faults.push({ member: shown(name), detail: `The request takes no member ${shown(name)}: ${hint}.` });
  }
  if (faults.length > 0) throw rejected(faults);
}

/** @throws {Problem} `invalid-parameter` */
function accountOf(query: JsonCall['query']): string | undefined {
  const account = query.get('account');
  const fault = account === undefined ? undefined : accountIdFault(account);
  if (fault === undefined) return account;
  throw invalidParameter([{ parameter: 'account', detail: `account ${fault}.` }]);
}

/** What happened as an answer. */
function problemOf(error: unknown): unknown {
  if (error instanceof ScopeRefused)
    return rejected(
      error.faults.map(({ member: name, what }) => ({ member: name, detail: `${name} ${what}.` })),
    );
  // Of the operator: the signing key is missing, or is not valid.
  if (error instanceof Failed) return new Problem('unavailable', error.message, { cause: error });
  return error;
}

type Work = (webhooks: Webhooks, call: JsonCall) => Promise<JsonAnswer>;

const ok = async (body: Promise<object>): Promise<JsonAnswer> => ({ status: 200, body: await body });

/** Work of a request without a body. */
const plain =
  (work: (webhooks: Webhooks, call: JsonCall) => Promise<object>): Work =>
  async (webhooks, call) => {
    mustTake(call.body, []);
    return ok(work(webhooks, call));
  };

/** By method and path. */
const WORK: Readonly<Record<string, Work>> = {
  [`GET ${PATH}`]: async (webhooks, { query }) => {
    const data = await webhooks.list(accountOf(query));
    return { status: 200, body: { data } };
  },
  [`POST ${PATH}`]: async (webhooks, { body: { account_id, ...given } }) => {
    const made = await webhooks.create(account_id, given);
    return { status: 201, body: made, headers: { location: `${PATH}/${made.id}` } };
  },
  [`GET ${ONE}`]: (webhooks, { id }) => ok(webhooks.show(id)),
  [`PATCH ${ONE}`]: (webhooks, { id, body }) => ok(webhooks.change(id, body)),
  [`DELETE ${ONE}`]: async (webhooks, { id }) => {
    await webhooks.delete(id);
    return { status: NO_CONTENT };
  },
  [`POST ${ONE}/test`]: plain((webhooks, { id, signal }) => webhooks.test(id, signal)),
  [`POST ${ONE}/rotate`]: async (webhooks, { id, body }) => {
    const faults: MemberFault[] = [];
    const overlapMs = member('overlap', 'overlap', body['overlap'], faults);
    mustTake(body, ['overlap'], faults);
    return ok(webhooks.rotate(id, overlapMs));
  },
  [`POST ${ONE}/replay`]: async (webhooks, { id, body }) => {
    const faults: MemberFault[] = [];
    const from = member('from', 'replay_from', body['from'], faults);
    if (body['from'] === undefined) faults.push({ member: 'from', detail: 'from is missing.' });
    mustTake(body, ['from'], faults);
    return ok(webhooks.replay(id, from as string));
  },
  [`POST ${ONE}/enable`]: plain((webhooks, { id }) => webhooks.enable(id)),
  [`POST ${ONE}/pause`]: plain((webhooks, { id }) => webhooks.pause(id)),
};

/** @param change runs work on a store of its own, which waits for no import. */
export function webhookRoutes(change: WithStore, options: WebhookSettings): JsonRoute[] {
  return Object.entries(WORK).map(([route, work]) => ({
    method: route.split(' ', 1)[0] as JsonRoute['method'],
    url: route.slice(route.indexOf('/')),
    operation: 'webhooks',
    parameters: route === `GET ${PATH}` ? ['account'] : undefined,
    async run(call) {
      const { name: actor, accounts } = call.sender;
      try {
        return await change((store) =>
          work(new Webhooks(store, options, { origin: 'intake', actor, accounts }), call),
        );
      } catch (error) {
        throw problemOf(error);
      }
    },
  }));
}
