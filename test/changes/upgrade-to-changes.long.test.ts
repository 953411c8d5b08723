// A database from before what has changed was logged, with the roles of then: a migration leaves its rows,
// tokens and roles as they are, and from then on copies of its lists can be brought up to date.

import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { importBody } from '../../server/import/import.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { LOG_TABLES } from '../../server/store/log/change-log.ts';
import { openStore } from '../../server/store/open.ts';
import { tables } from '../../server/store/tables.ts';
import type { Activity } from '../kit/activity-model.ts';
import { type Beginning, ChangingCopy, mustBeListOrGone } from '../kit/changing-copies.ts';
import { hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { virtual_numbers } from '../kit/model.ts';
import { withoutNewerSteps } from '../kit/older-databases.ts';
import { query, urlWith } from '../kit/postgres-server.ts';
import { ndjson, numberRow } from '../kit/rows.ts';
import { load, openService, type StoreKind, stores } from '../kit/service.ts';
import type { Database } from '../kit/templates.ts';

const OLD_STEP = 7;
const PASSWORD = 'then';
const WAYS: readonly Beginning[] = ['changes', 'export', 'pages'];
const [sqlite, postgres] = stores as unknown as readonly [StoreKind, StoreKind];

/** What the steps since have added goes. */
const BACK = [
  ...['account_events', 'import_moves', ...LOG_TABLES].map((name) => `drop table ${name}`),
  'alter table imports drop column moved',
  'alter table accounts drop column sequence',
  'drop index accounts_by_parent',
  'alter table accounts drop column parent_id',
];

/** On PostgreSQL; SQLite has them with the tokens, whose file stays as it is. */
const NO_WEBHOOKS = ['webhooks', 'webhook_attempts', 'webhook_events', 'deliverers'].map(
  (name) => `drop table ${name}`,
);

/** What `migrate --serving-role` gave. */
const servingOfThen = (role: string) => [
  `grant usage on schema public to ${role}`,
  `grant select on deployment, accounts, tokens, imports, virtual_numbers, additional_services to ${role}`,
  `grant update (last_used_at) on tokens to ${role}`,
  `grant insert on token_events to ${role}`,
];

/** What `--row-security` added. */
const securedThen = (role: string) => {
  const account = `current_setting('linecard.account_id', true)`;
  const hash = `current_setting('linecard.token_hash', true)`;
  const token_id = `current_setting('linecard.token_id', true)`;
  const sees = {
    virtual_numbers: `account_id = ${account}`,
    additional_services: `account_id = ${account}`,
    accounts: `id = ${account} or exists (
      select from tokens where tokens.account_id = accounts.id and tokens.hash = ${hash})`,
    tokens: `hash = current_setting('linecard.token_hash') or id = ${token_id}`,
  };
  return [
    ...Object.entries(sees).flatMap(([table, condition]) => [
      `alter table ${table} enable row level security`,
      `create policy linecard_select on ${table} for select to ${role} using (${condition})`,
    ]),
    `create policy linecard_update on tokens for update to ${role} using (id = ${token_id})`,
    'alter table token_events enable row level security',
    `create policy linecard_insert on token_events for insert to ${role} with check (token_id = ${token_id})`,
  ];
};

/** What `migrate --intake-role` gave. */
const intakeOfThen = (role: string) => [
  `grant usage on schema public to ${role}`,
  `grant select, insert, update, delete on virtual_numbers, additional_services to ${role}`,
  `grant select on deployment, accounts, operator_tokens to ${role}`,
  `grant insert (id, name, created_at, updated_at, revision) on accounts to ${role}`,
  `grant update (revision, updated_at, virtual_numbers, additional_services) on accounts to ${role}`,
  `grant update (last_used_at) on operator_tokens to ${role}`,
  `grant select, insert, update on feeds to ${role}`,
  `grant select, insert, delete on deliveries, imports to ${role}`,
  ...['accounts', 'virtual_numbers', 'additional_services'].map(
    (table) => `create policy linecard_intake on ${table} for all to ${role} using (true) with check (true)`,
  ),
];

/** A database as it was then, with rows and a token; on PostgreSQL with roles. */
async function oldDatabase(kind: StoreKind, isSecured: boolean) {
  const database = await kind.make();
  const store = await openStore(database.url, 'write');
  await load(store, 'virtual_numbers', hardRows.virtual_numbers);
  const made = await createToken(store, LARGE_ACCOUNT, 'of then');
  const [rows] = await store.read({ text: 'select item from virtual_numbers order by id', values: [] });
  await store.close();
  const old = { items: rows.flat(), token: made?.token ?? '' };
  if (kind.name === 'SQLite') {
    const file = new DatabaseSync(database.url.replace('sqlite:', ''));
    for (const text of [...withoutNewerSteps(kind.name), ...BACK]) file.exec(text);
    file.exec(`pragma user_version = ${OLD_STEP}`);
    file.close();
    return { ...old, database, intakeUrl: database.url };
  }
  const name = randomBytes(4).toString('hex');
  const [serving, intake] = [`serving_${name}`, `intake_${name}`];
  const madeOfThen = [
    ...withoutNewerSteps(kind.name),
    ...BACK,
    'drop table import_runs',
    ...NO_WEBHOOKS,
    ...['suspended_at', 'lists', 'charges', 'addresses', 'reach', 'kind'].map(
      (column) => `alter table tokens drop column ${column}`,
    ),
    'alter table operator_tokens drop column may',
    `update deployment set value = '${OLD_STEP}' where name = 'schema_step'`,
    ...[serving, intake].map((role) => `create role ${role} login password '${PASSWORD}'`),
    ...servingOfThen(serving),
    ...(isSecured ? securedThen(serving) : []),
    ...intakeOfThen(intake),
  ];
  for (const text of madeOfThen) await query(database.url, text);
  const withRoles: Database = {
    url: database.url,
    readingUrl: urlWith(database.url, { user: serving, password: PASSWORD }),
    async remove() {
      for (const role of [serving, intake]) {
        await query(database.url, `drop owned by ${role}`);
        await query(database.url, `drop role ${role}`);
      }
      await database.remove();
    },
  };
  const intakeUrl = urlWith(database.url, { user: intake, password: PASSWORD });
  return { ...old, database: withRoles, intakeUrl };
}

for (const [name, kind, isSecured] of [
  ['SQLite', sqlite, false],
  ['PostgreSQL', postgres, false],
  ['PostgreSQL with row security', postgres, true],
] as const) {
  describe(`a database of before there were changes, on ${name}`, () => {
    test('is migrated with its rows, tokens and roles, and its lists can be followed', async () => {
      const { database, intakeUrl, items, token } = await oldDatabase(kind, isSecured);
      // It is migrated as it is opened.
      const service = await openService(
        { name, share: 1, make: async () => database },
        { reach: { row_security: isSecured } },
      );
      try {
        const { operator } = service;
        const [rows] = await operator.read({
          text: 'select item from virtual_numbers order by id',
          values: [],
        });
        assert.deepEqual(rows.flat(), items);
        const ask = (url: string, headers = {}) =>
          service.send('GET', url, { authorization: token, ...headers });
        const copies = WAYS.map(() => new ChangingCopy(virtual_numbers.path, '', ask));
        for (const [i, copy] of copies.entries()) {
          await copy.begin(WAYS[i] as Beginning, 5, async () => {});
          assert.equal(await mustBeListOrGone(copy), 'the list');
        }
        // The intake writes the log as it writes the lists.
        const intake = await openStore(intakeUrl, 'change', { rowSecurity: false });
        const [first, second] = hardRows.virtual_numbers.filter(
          ({ account_id }) => account_id === LARGE_ACCOUNT,
        );
        for (const change of [
          { id: first?.id, comment: 'since' },
          { id: second?.id, removed: true },
        ]) {
          const body = Buffer.from(ndjson([{ account_id: LARGE_ACCOUNT, ...change }]));
          await importBody(
            { store: intake, table: tables.virtual_numbers, format: 'ndjson', update: true },
            { bytes: body, isCompressed: false },
          );
          for (const copy of copies) {
            const before = copy.since;
            assert.equal(await mustBeListOrGone(copy), 'the list');
            assert.notEqual(copy.since, before);
          }
        }
        await intake.close();
      } finally {
        await service.close();
      }
    });
  });
}

/** The step before the events, and what leads back to it. */
const NO_EVENTS = 14;
const BACK_TO_NO_EVENTS = [
  ...['virtual_numbers_changes', 'additional_services_changes'].flatMap((log) =>
    ['what', 'label'].map((column) => `alter table ${log} drop column ${column}`),
  ),
  'alter table change_logs drop column events_after',
];

for (const kind of [sqlite, postgres]) {
  test(`a log from before events says that its items changed, and since when more is known, on ${kind.name}`, async () => {
    const database = await kind.make();
    const store = await openStore(database.url, 'write');
    const [first, second] = [numberRow('C1', 1), numberRow('C1', 2)];
    await load(store, 'virtual_numbers', [first]);
    await load(store, 'virtual_numbers', [second, { ...first, is_spammed: true }]);
    await store.close();
    if (kind === sqlite) {
      const file = new DatabaseSync(database.url.replace('sqlite:', ''));
      for (const text of [...withoutNewerSteps(kind.name), ...BACK_TO_NO_EVENTS]) file.exec(text);
      file.exec(`pragma user_version = ${NO_EVENTS}`);
      file.close();
    } else {
      for (const text of [...withoutNewerSteps(kind.name), ...NO_WEBHOOKS, ...BACK_TO_NO_EVENTS])
        await query(database.url, text);
      await query(database.url, `update deployment set value = '${NO_EVENTS}' where name = 'schema_step'`);
    }
    const service = await openService(
      { ...kind, makeWithSchema: async () => database },
      { accounts: ['C1'] },
    );
    try {
      const events = async (search: string) => {
        const { body } = await service.ask('C1', `/api/v1/activity${search}`);
        const { data, since } = JSON.parse(body) as Activity;
        return { since, found: data.map(({ event, ids }) => [event, ids] as const), last: data[0]?.at };
      };
      const old = await events('?events=added,spam_flagged,changed');
      assert.deepEqual(old.found, [['changed', [1, 2]]]);
      assert.equal(old.since, old.last);
      await load(service.operator, 'virtual_numbers', [{ ...first, is_spammed: false }]);
      const now = await events('?events=spam_cleared');
      assert.deepEqual(now.found, [['spam_cleared', [1]]]);
      assert.equal(now.since, now.last);
    } finally {
      await service.close();
    }
  });
}
