// An account that is renamed: everything of it is there under the new id, and its customers read what they
// read before. Worlds are random; a model that knows no table says what must be in each afterwards.

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { changesPath } from '../../api/contract/addresses.ts';
import { facetsPath } from '../../api/contract/facets.ts';
import { RevisionWatch } from '../../server/answers/revision-watch.ts';
import { RangeReader } from '../../server/deliver/range.ts';
import { importFiles } from '../../server/import/import.ts';
import { mustStillBeBound } from '../../server/intake/sender.ts';
import { eraseAccountOperation } from '../../server/operations/account-deletion.ts';
import { findAccount } from '../../server/store/access/account-pages.ts';
import {
  createAccount,
  deleteAccount,
  disableAccount,
  enableAccount,
  hasAccount,
} from '../../server/store/access/accounts.ts';
import { NO_LIMITS } from '../../server/store/access/token-scopes.ts';
import { createOperatorToken, createToken } from '../../server/store/access/tokens.ts';
import { partsOf } from '../../server/store/copy-parts.ts';
import { advance, sequenceOf } from '../../server/store/imports/feeds.ts';
import { commandOrigin, recordImport } from '../../server/store/log/audit.ts';
import { openStore } from '../../server/store/open.ts';
import { renameAccount } from '../../server/store/rename.ts';
import { separate, sql } from '../../server/store/sql.ts';
import type { ResultRow } from '../../server/store/store.ts';
import { tables } from '../../server/store/tables.ts';
import { insertWebhook } from '../../server/store/webhooks/webhook-changes.ts';
import { readAudit } from '../kit/audit-log.ts';
import { FOLLOWER } from '../kit/deliveries.ts';
import { ndjson, numberRow } from '../kit/rows.ts';
import { load, openService, type Service, stores } from '../kit/service.ts';
import { faultsOfRefused } from '../kit/stored-items.ts';
import { until } from '../kit/until.ts';

const BY = commandOrigin();
const RUNS = 8;
/** What an id may be. */
const NAMES = ['C7', 'Köln', 'a b', '客户', "O'Neil; --", '100%', '-'];

interface World {
  readonly names: readonly string[];
  /** Which account each is below: an earlier one, or none. */
  readonly above: readonly number[];
  readonly items: readonly number[];
  readonly renamed: number;
}

const worlds: fc.Arbitrary<World> = fc.integer({ min: 2, max: 4 }).chain((size) =>
  fc.record({
    names: fc.array(fc.constantFrom(...NAMES), { minLength: size, maxLength: size }),
    above: fc.array(fc.integer({ min: -1, max: 2 }), { minLength: size, maxLength: size }),
    items: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: size, maxLength: size }),
    renamed: fc.nat(size - 1),
  }),
);

type Row = Readonly<Record<string, ResultRow[number]>>;

/** Every row of every table that a copy has, by table. */
async function everything({ operator }: Service): Promise<Map<string, Row[]>> {
  const found = new Map<string, Row[]>();
  for (const { name, columns, isSeparate } of partsOf({})) {
    await setImmediate();
    const all = { text: `select ${columns.join(', ')} from ${name}`, values: [] };
    const [rows] = await operator.read(isSeparate ? separate(all) : all);
    const named = rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i] ?? null])));
    found.set(name, named);
  }
  await setImmediate();
  return found;
}

const texts = (rows: readonly Row[] = []) => rows.map((row) => JSON.stringify(row)).toSorted();

/** Columns that say when and where something was done, under the id of that time. */
const isOfLog = (name: string) => name.endsWith('_events') || name === 'import_moves';

/** A row with the id in each of its values exchanged. */
function exchanged(row: Row, from: string, to: string): Row {
  const of = (value: ResultRow[number]) => {
    if (value === from) return to;
    if (typeof value !== 'string' || !value.startsWith('["')) return value;
    const ids = JSON.parse(value) as string[];
    if (!ids.includes(from)) return value;
    return JSON.stringify(ids.map((id) => (id === from ? to : id)).toSorted());
  };
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, of(value)]));
}

for (const kind of stores) {
  describe(`an account that is renamed, on ${kind.name}`, () => {
    let service: Service;
    let count = 0;
    before(async () => {
      service = await openService(kind, { cacheBytes: 0, indexBytes: 0 });
    });
    after(() => service.close());

    const fresh = (name: string) => `${name} ${++count}`;
    const done = () => setImmediate();

    /** Makes a world, with two imports into each account; returns the ids and a token of each. */
    async function made({ names, above, items }: World) {
      const { operator } = service;
      const ids = names.map(fresh);
      const tokens: string[] = [];
      for (const [i, id] of ids.entries()) {
        await createAccount(operator, id, { name: `Name of ${i}` });
        const parent = above[i] === undefined || above[i] >= i ? undefined : ids[above[i]];
        if (parent !== undefined)
          await operator.write({
            text: 'update accounts set parent_id = $2 where id = $1',
            values: [id, parent],
          });
        const limits = { ...NO_LIMITS, reach: 'tree' } as const;
        const token = await createToken(operator, id, `Token of ${i}`, undefined, limits);
        tokens.push(String(token?.token));
        const rows = (some: number) =>
          Array.from({ length: some }, (_, n) => numberRow(id, ++count + n * 1_000));
        const first = rows(items[i] ?? 0);
        await load(operator, 'virtual_numbers', first);
        await insertWebhook(operator, id, FOLLOWER, 9, BY);
        await load(operator, 'virtual_numbers', [
          ...first.map((row) => ({ ...row, comment: 'changed' })),
          ...rows(1),
        ]);
      }
      return { ids, tokens };
    }

    const ask = (token: string, url: string) =>
      service.send('GET', url, { authorization: `Bearer ${token}` });

    const numbers = tables.virtual_numbers.list;
    const PAGES = [
      ...[numbers.path, facetsPath(numbers), tables.additional_services.list.path],
      ...['activity', 'accounts', 'account', 'webhooks'].map((page) => `/api/v1/${page}`),
    ];

    /** What each customer reads: without the id and the time of an account, which may change. */
    async function answers(tokens: readonly string[], names: readonly [from: string, to: string]) {
      const read: unknown[] = [];
      for (const token of tokens)
        for (const page of PAGES) {
          const { status, body } = await ask(token, page);
          assert.equal(status, 200, body);
          const text = body.replaceAll(JSON.stringify(names[0]), JSON.stringify(names[1]));
          const { data, ...rest } = JSON.parse(text.replaceAll(/,"updated_at":"[^"]*"/g, '')) as {
            data?: object[];
          };
          // Accounts come by their ids.
          read.push(page.endsWith('accounts') ? texts(data as Row[]) : data, rest);
        }
      return read;
    }

    const followed = async (token: string, since: string) => {
      const { status, body } = await ask(token, `${changesPath(numbers)}?since=${since}`);
      assert.equal(status, 200, body);
      return JSON.parse(body) as { data: { id: number }[]; since: string };
    };

    test('is there with all that was its, and each customer reads what they did', async () => {
      await fc.assert(
        fc.asyncProperty(worlds, async (world) => {
          const { operator } = service;
          const { ids, tokens } = await made(world);
          const from = String(ids[world.renamed]);
          const to = fresh('new');
          const bound = [...ids].toSorted();
          await createOperatorToken(operator, { name: 'bound', accounts: bound, may: ['import'] });
          await operator.write(advance({ name: 'nightly', accounts: bound }, 7));
          await done();
          const since = await Promise.all(tokens.map((token) => followed(token, 'now')));
          const [read, all] = [await answers(tokens, [from, to]), await everything(service)];

          assert.equal(await renameAccount(operator, from, to, BY), 'renamed');

          const now = await everything(service);
          for (const [name, rows] of all) {
            const is = now.get(name) ?? [];
            if (isOfLog(name)) {
              const added = texts(is).filter((row) => !texts(rows).includes(row));
              assert.deepEqual(
                added.map((row) => (JSON.parse(row) as Row)['renamed_to']),
                name === 'account_events' ? [to] : [],
                name,
              );
              continue;
            }
            if (name === 'feeds' || name === 'deleted_accounts') continue;
            const ended = (row: Row) => ({ ...row, revision: '', sequence: 0, updated_at: '' });
            const isRenewed = (row: Row) => name === 'accounts' && row['id'] === to;
            const shown = (some: readonly Row[]) => some.map((row) => (isRenewed(row) ? ended(row) : row));
            const expected = rows.map((row) => exchanged(row, from, to));
            if (name === 'revisions') {
              const account = all.get('accounts')?.find(({ id }) => id === from);
              const { sequence = null, revision = null } = account ?? {};
              const last = is.find((row) => row['account_id'] === to && row['revision'] === revision);
              expected.push({ account_id: to, sequence, revision, ended_at: last?.['ended_at'] ?? null });
            }
            assert.deepEqual(texts(shown(is)), texts(shown(expected)), name);
          }
          const renamedBound = bound.map((id) => (id === from ? to : id)).toSorted();
          await done();
          assert.equal(await sequenceOf(operator, { name: 'nightly', accounts: renamedBound }), 7);
          await done();

          const [own = ''] = tokens.slice(world.renamed);
          await until(
            'its token is accepted',
            async () => (await ask(own, '/api/v1/account')).status === 200,
          );
          assert.deepEqual(await answers(tokens, [from, to]), read);
          // A copy goes on: it gets what is new, and nothing else.
          const item = numberRow(to, ++count + 100_000);
          await load(operator, 'virtual_numbers', [item]);
          for (const [i, token] of tokens.entries()) {
            const { data } = await followed(token, String(since[i]?.since));
            assert.deepEqual(
              data.map(({ id }) => id),
              i === world.renamed ? [item.id] : [],
            );
          }
        }),
        { numRuns: Math.ceil(RUNS * kind.share) },
      );
    });

    test('is found in the audit log by each id that it had, and no other is', async () => {
      const { operator } = service;
      const [a, b, c] = [fresh('A'), fresh('B'), fresh('C')];
      const audit = async (id: string, accounts?: readonly string[]) =>
        (await readAudit(operator, { account_id: id, accounts })).map(
          ({ event, account_id }) => `${event} ${account_id}`,
        );
      await createAccount(operator, a);
      await createToken(operator, a, 'first');
      assert.equal(await renameAccount(operator, a, b, BY), 'renamed');
      await createToken(operator, b, 'second');
      assert.equal(await renameAccount(operator, b, c, BY), 'renamed');
      const ofIt = [
        `account created ${a}`,
        `token created ${a}`,
        `account renamed ${a}`,
        `token created ${b}`,
        `account renamed ${b}`,
      ];
      for (const id of [a, b, c]) assert.deepEqual(await audit(id), ofIt, id);
      // Another customer gets the first id.
      await createAccount(operator, a);
      await createToken(operator, a, 'other');
      const ofOther = [`account created ${a}`, `token created ${a}`];
      assert.deepEqual(await audit(c), ofIt);
      assert.deepEqual(await audit(a), [...ofIt, ...ofOther]);
      assert.deepEqual(await audit(a, [a]), ofOther);
      assert.deepEqual(await audit(c, [c]), ofIt);
    });

    /** As if the account that had the id gave it up before. */
    const longAgo = (id: string) =>
      service.operator.write(
        sql`update deleted_accounts set deleted_at = ${'2026-01-01T00:00:00.000000Z'} where id = ${id}`,
      );

    test('may get back an id that it had, and one that was deleted, but none that is taken', async () => {
      const { operator } = service;
      const [a, b, gone] = [fresh('A'), fresh('B'), fresh('gone')];
      for (const id of [a, b, gone]) await createAccount(operator, id);
      await deleteAccount(operator, gone);
      const before_ = await everything(service);
      for (const to of [a, b]) assert.equal(await renameAccount(operator, a, to, BY), 'taken');
      assert.equal(await renameAccount(operator, fresh('nobody'), fresh('new'), BY), 'unknown');
      // Until every process knows, its callers are taken for the former account's.
      assert.equal(await renameAccount(operator, a, gone, BY), 'resting');
      assert.deepEqual(await everything(service), before_);
      await longAgo(gone);
      assert.equal(await renameAccount(operator, a, gone, BY), 'renamed');
      // A request whose answer was lost is repeated.
      assert.equal(await renameAccount(operator, a, gone, BY), 'renamed');
      assert.equal(await renameAccount(operator, b, a, BY), 'resting');
      assert.equal(await renameAccount(operator, gone, a, BY), 'renamed');
      await done();
      assert.deepEqual([await hasAccount(operator, a), await hasAccount(operator, gone)], [true, false]);
      const ends = (await everything(service)).get('deleted_accounts') ?? [];
      const ofThem = ends.filter(({ id }) => [a, b, gone].includes(String(id)));
      assert.deepEqual(
        ofThem.map(({ id, renamed_to }) => [id, renamed_to]),
        [[gone, a]],
      );
    });

    test('ends what waits for it, and gives a deliverer nothing that it reads under the former id', async () => {
      const { operator } = service;
      const [a, b] = [fresh('A'), fresh('B')];
      await createAccount(operator, a);
      const rows = [1, 2, 3].map((i) => numberRow(a, i));
      await load(operator, 'virtual_numbers', rows.slice(0, 1));
      await load(operator, 'virtual_numbers', rows);
      const [[row]] = await operator.read(sql`select sequence, revision from accounts where id = ${a}`);
      const to_sequence = Number(row?.[0]);
      const range = { account_id: a, from_sequence: 0, from_revision: '', to_sequence, to_revision: '' };
      const reader = new RangeReader(async (work) => work(operator));
      const page = { list: 'virtual_numbers', kind: 'added', limit: 1 } as const;
      const [first, ...others] = (await reader.page(range, { ...page, after: 0 })).items;
      assert.deepEqual([typeof first?.item, others], ['string', []]);
      const watch = new RevisionWatch(operator);
      const { promise: changed, resolve } = Promise.withResolvers<void>();
      const end = watch.watch(a, String(row?.[1]), resolve);
      assert.equal(await renameAccount(operator, a, b, BY), 'renamed');
      await changed;
      end();
      await done();
      // The entries were read before: their items would be sent as ones that are gone.
      const after = first?.id ?? 0;
      assert.deepEqual((await reader.page(range, { ...page, after })).items, []);
      assert.equal(await reader.isThere(range), false);
      const [next] = (await reader.page({ ...range, account_id: b }, { ...page, after })).items;
      assert.equal(typeof next?.item, 'string');
    });

    test('changes what its operators’ tokens are bound to: a request that waited is sent again', async () => {
      const { operator } = service;
      const [a, b] = [fresh('A'), fresh('B')];
      await createAccount(operator, a);
      const { id: name } = await createOperatorToken(operator, { name: '', accounts: [a], may: ['import'] });
      const isBound = (...accounts: string[]) =>
        mustStillBeBound(async (work) => work(operator), { name, accounts, may: ['import'] });
      await isBound(a);
      assert.equal(await renameAccount(operator, a, b, BY), 'renamed');
      await done();
      await assert.rejects(isBound(a), {
        code: 'conflict',
        message: /got another id while the request waited/,
      });
      await isBound(b);
    });

    test('is disabled all the same if that begins before and ends after, and its tokens with it', async () => {
      const { operator } = service;
      const [a, b] = [fresh('A'), fresh('B')];
      await createAccount(operator, a);
      const token = await createToken(operator, a, 'test');
      const between = {
        dialect: operator.dialect,
        read: operator.read.bind(operator),
        async write(...statements: Parameters<typeof operator.write>) {
          const changes = await operator.write(...statements);
          // Its tokens are suspended, and it is not marked yet.
          if (await hasAccount(operator, a)) assert.equal(await renameAccount(operator, a, b, BY), 'renamed');
          return changes;
        },
      };
      assert.equal(await disableAccount(between, a), true);
      await done();
      assert.notEqual((await findAccount(operator, b))?.disabled_at, null);
      assert.equal(await enableAccount(operator, b), true);
      await until(
        'its token is accepted',
        async () => (await ask(String(token?.token), '/api/v1/account')).status === 200,
      );
    });

    test('has each token that was created while it was renamed, or none was created', async () => {
      const { operator } = service;
      const [a, b] = [fresh('A'), fresh('B')];
      await createAccount(operator, a);
      const other = await openStore(service.database_url, 'change');
      const renaming = renameAccount(other, a, b, BY);
      const creating: ReturnType<typeof createToken>[] = [];
      for (let i = 0; i < 8; i++) {
        creating.push(createToken(operator, a, 'during'));
        await done();
      }
      assert.equal(await renaming, 'renamed');
      await other.close();
      const created = (await Promise.all(creating)).filter((one) => one !== undefined);
      for (const { token } of created) assert.equal((await ask(token, '/api/v1/account')).status, 200);
      const stored = (await everything(service)).get('tokens') ?? [];
      const owners = (id: string) => stored.filter((row) => row['account_id'] === id).length;
      assert.deepEqual([owners(a), owners(b)], [0, created.length]);
    });

    test('waits for an import into it, whose items are then there under the new id', async () => {
      const { operator, database_url } = service;
      const [a, b] = [fresh('A'), fresh('B')];
      await createAccount(operator, a);
      const token = await createToken(operator, a, 'test');
      const other = await openStore(database_url, 'change');
      const importing = await other.load(tables.virtual_numbers);
      const { promise: waits, resolve: onWait } = Promise.withResolvers<void>();
      const renaming = renameAccount(operator, a, b, BY, { onWait });
      await waits;
      await importing.commit({ accounts: [a] });
      assert.equal(await renaming, 'renamed');
      await other.close();
      const { body } = await ask(String(token?.token), '/api/v1/account');
      assert.equal((JSON.parse(body) as { id: string }).id, b);
    });

    test('is not brought back by a file that has the old id: each row is refused, and none is left out', async () => {
      const { operator } = service;
      const [a, b, c] = [fresh('A'), fresh('B'), fresh('C')];
      for (const id of [a, c]) await createAccount(operator, id);
      await load(operator, 'virtual_numbers', [numberRow(a, ++count + 200_000)]);
      assert.equal(await renameAccount(operator, a, b, BY), 'renamed');
      const rows = [numberRow(c, ++count + 200_000), numberRow(a, count - 1 + 200_000)];
      for (const skip_deleted of [false, true]) {
        const faults = await faultsOfRefused(operator, () =>
          importFiles({
            ...{ store: operator, table: tables.virtual_numbers, files: ['-'], format: 'ndjson' },
            ...{ stdin: Readable.from([ndjson(rows)]), skip_deleted },
          }),
        );
        assert.equal(faults.length, 1);
        const sentence = `:2: account_id: "${a}" was renamed to "${b}" on `;
        assert.ok(String(faults[0]).includes(sentence), String(faults[0]));
      }
      // Once the account is deleted, its rows may be left out under either id.
      await deleteAccount(operator, b);
      const { left_out } = await importFiles({
        ...{ store: operator, table: tables.virtual_numbers, files: ['-'], format: 'ndjson' },
        ...{ stdin: Readable.from([ndjson(rows)]), skip_deleted: true },
      });
      assert.equal(left_out, 1);
    });

    test('is erased under each id that it had, once it is deleted, and another of the old id is not', async () => {
      const { operator } = service;
      const [a, b] = [fresh('A'), fresh('B')];
      await createAccount(operator, a, { name: 'Erika' });
      await createToken(operator, a, 'Her telephone');
      const imported = (what: string) => {
        const counts = { rows: 0, left_out: 0, inserted: 0, updated: 0, moved: 0, unchanged: 0, removed: 0 };
        const of = { list: 'accounts', mode: 'update', source: `${what} of ${a}.csv`, changed: {} };
        return operator.write(...recordImport({ ...BY, ...of, ...counts, accounts_created: 0 }));
      };
      await imported('hers');
      assert.equal(await renameAccount(operator, a, b, BY), 'renamed');
      const erase = (id: string) =>
        eraseAccountOperation.run({ store: operator, by: BY }, { confirm: id }, id);
      await done();
      await assert.rejects(erase(a), {
        message: `The account ${a} was renamed: ${b} still exists: delete it first.`,
      });
      await imported('hers, by the former id');
      // In one millisecond neither is before the other.
      await setTimeout(2);
      await createAccount(operator, a, { name: 'Otto' });
      await imported('his');
      await deleteAccount(operator, b, BY);
      await done();
      await erase(b);
      const names = (await readAudit(operator, { account_id: b })).map(({ details }) => details['name']);
      assert.deepEqual([...new Set(names)], ['']);
      await done();
      const [last] = (await readAudit(operator, { account_id: a, accounts: [a] })).slice(-1);
      assert.equal(last?.details['name'], 'Otto');
      const sources = (await readAudit(operator, {})).map(({ details }) => details['source']);
      assert.deepEqual(
        sources.filter((one) => String(one).endsWith(`of ${a}.csv`)),
        [`his of ${a}.csv`],
      );
    });
  });
}
