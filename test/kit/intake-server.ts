// An intake on a database of its own, as the command starts it, for tests that send to it.

import type { AddressInfo } from 'node:net';
import { openIntakeStores } from '../../server/commands/intake-stores.ts';
import { Deliveries, type DeliverySettings } from '../../server/intake/delivery.ts';
import { type IntakeHttpOptions, intakeServer } from '../../server/intake/http.ts';
import { operationRoutes } from '../../server/intake/operation-routes.ts';
import { Senders } from '../../server/intake/sender.ts';
import { allOperations } from '../../server/operations/all.ts';
import { createAccount } from '../../server/store/access/accounts.ts';
import { createOperatorToken } from '../../server/store/access/tokens.ts';
import { openStore } from '../../server/store/open.ts';
import { statement } from '../../server/store/sql.ts';
import type { tables } from '../../server/store/tables.ts';
import { databaseOf, type stores as kinds, loggerInto } from './service.ts';
import { everythingIn, selectIn } from './stored-items.ts';

const MAX_BYTES = 64 * 1_048_576;
const UNLIMITED = Number.POSITIVE_INFINITY;
/** What secrets of webhooks are derived from. */
const SIGNING_KEY = Buffer.alloc(32, 7);
export const MAX_WEBHOOKS = 3;

export const CSV = { 'content-type': 'text/csv' };
export const NDJSON = { 'content-type': 'application/x-ndjson' };

/** How an intake differs from the usual one. */
export interface IntakeCircumstances extends Partial<DeliverySettings>, Partial<IntakeHttpOptions> {
  readonly secrets?: readonly string[];
  /** Where the intake itself has another role in the database. */
  readonly intakeUrl?: string;
  /** Where the console is. */
  readonly publicUrl?: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the tests look at.
  readonly json: any;
}

export async function openIntake(
  kind: (typeof kinds)[number],
  { secrets = [], intakeUrl, publicUrl, ...options }: IntakeCircumstances = {},
) {
  const database = await databaseOf(kind);
  const operator = await openStore(database.url, 'write');
  const { token } = await createOperatorToken(operator, { name: 'feed' });
  const stores = await openIntakeStores({
    database_url: intakeUrl ?? database.url,
    database_pooler: 'none',
  });
  const log: string[] = [];
  const logger = loggerInto(log);
  const webhooks = { maxWebhooks: MAX_WEBHOOKS, allow: [], keys: () => [SIGNING_KEY] };
  const operations = allOperations({ publicUrl, logger }, webhooks);
  const server = intakeServer({
    senders: new Senders(stores.read, secrets),
    deliveries: new Deliveries({
      read: stores.read,
      write: stores.write,
      trial: stores.own,
      maxBytes: MAX_BYTES,
      importTimeoutMs: 30_000,
      ...options,
    }),
    jsonRoutes: operationRoutes({
      stores,
      importTimeoutMs: options.importTimeoutMs ?? 30_000,
      operations,
    }),
    operations,
    logger,
    rateLimit: 0,
    failureLimit: UNLIMITED,
    connectionLimit: { each: UNLIMITED, total: UNLIMITED },
    ready: () => stores.read(async (store) => void (await store.read(statement('select 1')))),
    ...options,
  });
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  /** Sends no token but one of these headers. */
  const sendWith = async (
    method: string,
    path: string,
    body: string | Uint8Array | undefined,
    headers: Record<string, string> = {},
  ): Promise<Answered> => {
    const how = { method, headers, ...(body === undefined ? {} : { body }) };
    const response = await fetch(`${url}/intake/v1/${path}`, how);
    const text = await response.text();
    const json = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, headers: response.headers, text, json };
  };
  return {
    database_url: database.url,
    url,
    port,
    /** Bound to no account. */
    token,
    operator,
    server,
    log: log as readonly string[],
    sendWith,
    send: (...[method, path, body, headers = CSV]: Parameters<typeof sendWith>) =>
      sendWith(method, path, body, { authorization: `Bearer ${token}`, ...headers }),
    /** A token that is bound to accounts, which are made. */
    async tokenFor(...accounts: string[]) {
      for (const id of accounts) await createAccount(operator, id);
      return (await createOperatorToken(operator, { name: 'bound', accounts })).token;
    },
    /** All that an import could change, and the deliveries that it remembers. */
    everything: () => everythingIn(operator, 'feeds', 'deliveries'),
    /** The items of a list. */
    async items(list: keyof typeof tables = 'virtual_numbers'): Promise<Record<string, unknown>[]> {
      const rows = await selectIn(operator, `select item, account_id from ${list} order by id`);
      return rows.map(([item, account_id]) => ({ account_id, ...JSON.parse(String(item)) }));
    },
    async close() {
      await server.close(0);
      await stores.close();
      await operator.close();
      await database.remove();
    },
  };
}

export type Intake = Awaited<ReturnType<typeof openIntake>>;
