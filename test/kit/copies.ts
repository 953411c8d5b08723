// One deployment copied into databases of every kind, a service on each, and one question put to all of them:
// they must answer alike, and as the model does.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { copyStore } from '../../server/store/copy.ts';
import { openStore } from '../../server/store/open.ts';
import { grantRights } from '../../server/store/postgres/rights.ts';
import { CITUS_URL, makeCitusDatabase } from './citus-server.ts';
import { hardQuery } from './hard-queries.ts';
import { ACCOUNTS, hardRows, LARGE_ACCOUNT } from './hard-rows.ts';
import { Model, type ModelList } from './model.ts';
import { PostgresServer, query, urlWith } from './postgres-server.ts';
import { openService, type Service, type ServiceAnswer, type StoreKind, stores } from './service.ts';
import type { Database } from './templates.ts';

const PASSWORD = 'serving';

const model = new Model(hardRows);

/** A database on the server of the tests that is empty. */
const inLocale = (locale: 'c' | 'icu') => async () =>
  (await PostgresServer.shared()).makeDatabase(locale) as Promise<Database>;

/** A database that holds what another holds. */
async function copyOf(original: string, make: () => Promise<Database>): Promise<Database> {
  const database = await make();
  const [from, to] = [await openStore(original, 'read'), await openStore(database.url, 'write')];
  await copyStore(from, to, () => {});
  await from.close();
  await to.close();
  return database;
}

/** The same database, whose service sees one account at a time, because the database shows it no more. */
export async function secured(database: Database): Promise<Database> {
  // Where there is no schema yet.
  await (await openStore(database.url, 'write')).close();
  const role = `linecard_serving_${randomBytes(4).toString('hex')}`;
  await query(database.url, `create role ${role} login password '${PASSWORD}'`);
  const { missing } = await grantRights(database.url, { rowSecurity: true }, role, 'serving');
  assert.deepEqual(missing, []);
  return {
    ...database,
    readingUrl: urlWith(database.url, { user: role, password: PASSWORD }),
    async remove() {
      // What the role may is of the database, and goes with it.
      await database.remove();
      await query(urlWith(database.url, { database: 'postgres' }), `drop role ${role}`);
    },
  };
}

/**
 * The same deployment on SQLite, on PostgreSQL in the C locale, in another, and behind row security; where
 * there is Citus, also there, and there behind row security.
 */
export class Copies {
  readonly #services: readonly Service[];

  private constructor(services: readonly Service[]) {
    this.#services = services;
  }

  static async open(): Promise<Copies> {
    const first = await openService(stores[0] as StoreKind, { accounts: ACCOUNTS, rows: hardRows });
    const services = [first];
    const copy = (make: () => Promise<Database>) => () => copyOf(first.database_url, make);
    const securedCopy = (make: () => Promise<Database>) => async () => secured(await copy(make)());
    const onCitus = CITUS_URL === undefined ? [] : [copy(makeCitusDatabase), securedCopy(makeCitusDatabase)];
    for (const make of [
      copy(inLocale('c')),
      copy(inLocale('icu')),
      securedCopy(inLocale('icu')),
      ...onCitus,
    ]) {
      services.push(await openService({ name: 'a copy', share: 1, make }, { accounts: ACCOUNTS }));
    }
    return new Copies(services);
  }

  async close(): Promise<void> {
    for (const service of this.#services) await service.close();
  }

  /** What all of them answer; which they must all answer alike, tags and links included. */
  async ask(account_id: string, url: string, headers: Record<string, string> = {}): Promise<ServiceAnswer> {
    const answers = await Promise.all(this.#services.map((service) => service.ask(account_id, url, headers)));
    const seen = answers.map(({ status, body, headers: { etag, link } }) => ({
      status,
      etag,
      link,
      body: body.replace(/"request_id":"[^"]*"/, ''),
    }));
    const [first, ...others] = seen;
    for (const other of others) assert.deepEqual(other, first, `${account_id} ${url}`);
    return answers[0] as ServiceAnswer;
  }

  /** That many queries at random have one answer, which is the model's. */
  async mustAnswerAlike(list: ModelList, queries: number): Promise<void> {
    const account = fc.oneof(fc.constant(LARGE_ACCOUNT), fc.constantFrom(...ACCOUNTS));
    await fc.assert(
      fc.asyncProperty(account, hardQuery(list), async (account_id, text) => {
        const expected = model.expect(list, account_id, text);
        const answer = await this.ask(account_id, `${list.path}?${text}`);
        assert.equal(answer.status, expected.status, text);
        if (expected.status === 200) assert.equal(answer.body, expected.body, text);
        // A cursor from one of them is good for all.
        const next = answer.links.get('next');
        if (next !== undefined) await this.ask(account_id, next);
      }),
      { numRuns: queries },
    );
  }
}
