// One deployment copied into databases of every kind: whatever is asked, all of them answer what the model says, and the
// same to the byte, with the same tags and links, so that a customer cannot tell that an operator moved.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { copyStore } from '../server/copy.ts';
import { openStore } from '../server/open.ts';
import { grantServing } from '../server/postgres-rights.ts';
import { hardQuery } from './hard-queries.ts';
import { ACCOUNTS, hard_rows, LARGE_ACCOUNT } from './hard-rows.ts';
import { Model, type ModelList, model_lists } from './model.ts';
import { PostgresServer, query, urlWith } from './postgres-server.ts';
import { openService, type Service, type StoreKind, stores } from './service.ts';

/** Random queries a list: `SAME_QUERIES=25000 npm test -- test/same-answers.test.ts` asks more of them. */
const QUERIES = Number(process.env['SAME_QUERIES'] ?? 700);
const FEWER = 60;
const ROLE = `linecard_serving_${randomBytes(4).toString('hex')}`;
const PASSWORD = 'serving';

const model = new Model(hard_rows);

/** A database that holds what another holds. */
async function copyOf(original: string, locale: 'c' | 'icu') {
  const database = await (await PostgresServer.shared()).makeDatabase(locale);
  const [from, to] = [await openStore(original, 'read'), await openStore(database.url, 'write')];
  await copyStore(from, to, () => {});
  await from.close();
  await to.close();
  return database;
}

/** Its service sees one account at a time, because the database shows it no more. */
async function securedCopyOf(original: string) {
  const database = await copyOf(original, 'icu');
  await query(database.url, `create role ${ROLE} login password '${PASSWORD}'`);
  const { missing } = await grantServing(database.url, { row_security: true }, ROLE);
  assert.deepEqual(missing, []);
  return {
    ...database,
    reading_url: urlWith(database.url, { user: ROLE, password: PASSWORD }),
    async remove() {
      await query(database.url, `drop owned by ${ROLE}`);
      await query(database.url, `drop role ${ROLE}`);
      await database.remove();
    },
  };
}

describe('one deployment in every kind of database', () => {
  const services: Service[] = [];
  before(async () => {
    const first = await openService(stores[0] as StoreKind, { accounts: ACCOUNTS, rows: hard_rows });
    services.push(first);
    for (const make of [
      () => copyOf(first.database_url, 'c'),
      () => copyOf(first.database_url, 'icu'),
      () => securedCopyOf(first.database_url),
    ]) {
      services.push(await openService({ name: 'a copy', share: 1, make }, { accounts: ACCOUNTS }));
    }
  });
  after(async () => {
    for (const service of services) await service.close();
  });

  /** What all of them answer; which they must all answer alike. */
  async function askAll(account_id: string, url: string, headers: Record<string, string> = {}) {
    const answers = await Promise.all(services.map((service) => service.ask(account_id, url, headers)));
    const seen = answers.map(({ status, body, headers: { etag, link } }) => ({
      status,
      etag,
      link,
      body: body.replace(/"request_id":"[^"]*"/, ''),
    }));
    const [first, ...others] = seen;
    for (const other of others) assert.deepEqual(other, first, `${account_id} ${url}`);
    return answers[0] as (typeof answers)[number];
  }

  for (const list of model_lists) {
    test(`${list.name}: ${QUERIES} queries at random have one answer`, async () => {
      const account = fc.oneof(fc.constant(LARGE_ACCOUNT), fc.constantFrom(...ACCOUNTS));
      await fc.assert(
        fc.asyncProperty(account, hardQuery(list), async (account_id, text) => {
          const expected = model.expect(list, account_id, text);
          const answer = await askAll(account_id, `${list.path}?${text}`);
          assert.equal(answer.status, expected.status, text);
          if (expected.status === 200) assert.equal(answer.body, expected.body, text);
          // A cursor that one of them gave is good for all.
          const next = answer.links.get('next');
          if (next !== undefined) await askAll(account_id, next);
        }),
        { numRuns: QUERIES },
      );
    });

    test(`${list.name}: ${FEWER} exports and facets at random are the same`, async () => {
      const strip = (text: string) => text.replace(/(?:^|&)(?:page|page_size|cursor)=[^&]*/g, '');
      const strip_sort = (text: string) => strip(text).replace(/(?:^|&)sort_(?:by|order)=[^&]*/g, '');
      await fc.assert(
        fc.asyncProperty(
          hardQuery(list),
          fc.constantFrom('text/csv', 'application/x-ndjson'),
          async (text, accept) => {
            await askAll(LARGE_ACCOUNT, `${list.path}?${strip(text)}`, { accept });
            await askAll(LARGE_ACCOUNT, `${list.path}/facets?${strip_sort(text)}`);
          },
        ),
        { numRuns: FEWER },
      );
    });
  }

  test('what one of them gave out last, another need not send again', async () => {
    const list = model_lists[0] as ModelList;
    const { etag = '' } = (await askAll(LARGE_ACCOUNT, list.path)).headers;
    assert.equal((await askAll(LARGE_ACCOUNT, list.path, { 'if-none-match': etag })).status, 304);
  });
});
