// Which account has a number or had it, when it changed and by which import: as a naive model of random lists
// has it, and the same by command and over HTTP.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { importFiles } from '../../server/import/import.ts';
import { findOperation } from '../../server/operations/find.ts';
import { readShape } from '../../server/operations/shape.ts';
import { createOperatorToken } from '../../server/store/access/tokens.ts';
import { tables } from '../../server/store/tables.ts';
import { queriesAtRandom } from '../kit/hard-queries.ts';
import { type Intake, openIntake } from '../kit/intake-server.ts';
import { runProgram } from '../kit/program.ts';
import { ndjson, REQUIRED_VALUES } from '../kit/rows.ts';
import { stores } from '../kit/service.ts';
import { deleteEverything } from '../kit/stored-items.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const RUNS = queriesAtRandom(5);
const ALL = { percent: 100 };
const ACCOUNTS = ['C1', 'C2', 'C3'] as const;
/** Spellings of the same numbers, and the digits that tell them apart. */
const NUMBERS = {
  '442079460018': ['+442079460018', '0044 20 7946-0018', '+44 (0)20 7946 0018'],
  '4930901820': ['+4930901820', '4930 901820'],
  '112': ['112'],
} as const;
type Digits = keyof typeof NUMBERS;

interface Row {
  readonly id: number;
  readonly account_id: string;
  readonly digits: Digits;
  readonly did: string;
}

const row: fc.Arbitrary<Row> = fc.constantFrom(...(Object.keys(NUMBERS) as Digits[])).chain((digits) =>
  fc.record({
    id: fc.integer({ min: 1_000, max: 1_004 }),
    account_id: fc.constantFrom(...ACCOUNTS),
    digits: fc.constant(digits),
    did: fc.constantFrom(...NUMBERS[digits]),
  }),
);
const list = fc.uniqueArray(row, { selector: ({ id }) => id, minLength: 1, maxLength: 5 });

/** On which account, what happened, and by which feed. */
type Change = readonly [account: string, events: string, feed: string];

interface Known {
  now: Row | undefined;
  readonly changes: Change[];
  readonly labels: Digits[];
}

/** What each import does to each item; one that fills an empty list of an account is not in the log. */
function modelOf(lists: readonly (readonly Row[])[]): ReadonlyMap<number, Known> {
  const items = new Map<number, Known>();
  lists.forEach((rows, step) => {
    const had = new Set([...items.values()].flatMap(({ now }) => now?.account_id ?? []));
    const feed = `feed ${step}`;
    for (const { id } of rows) if (!items.has(id)) items.set(id, { now: undefined, changes: [], labels: [] });
    for (const [id, known] of items) {
      const [was, is] = [known.now, rows.find((one) => one.id === id)];
      const isSame = was?.account_id === is?.account_id;
      if (isSame && was !== undefined && was.did !== is?.did)
        known.changes.unshift([was.account_id, 'changed', feed]);
      if (!isSame && was !== undefined) {
        known.changes.unshift([was.account_id, 'removed', feed]);
        known.labels.push(was.digits);
      }
      if (!isSame && is !== undefined && had.has(is.account_id))
        known.changes.unshift([is.account_id, 'added', feed]);
      known.now = is;
    }
  });
  return items;
}

for (const kind of stores) {
  describe(`finding a number, on ${kind.name}`, () => {
    const folder = temporaryFolder();
    let intake: Intake;
    before(async () => {
      intake = await openIntake(kind);
    });
    after(() => intake.close());

    const load = async (rows: readonly object[], name: string, feed: string, list: keyof typeof tables) => {
      const file = join(folder, name);
      writeFileSync(file, ndjson(rows));
      const provenance = { origin: 'command', actor: 'alice@host', source: name } as const;
      const limits = { max_removed: ALL, max_moved: ALL, max_changed: [] };
      await importFiles({
        ...{ store: intake.operator, table: tables[list], files: [file] },
        ...{ replace_all: true, feed, provenance, ...limits },
      });
    };
    const find = (q: string) =>
      findOperation.run(
        { store: intake.operator, by: { origin: 'command', actor: 'test' } },
        readShape(findOperation.takes, { q }, 'the request'),
        '',
      );

    test('names who has it and who had it, what happened, and which feed did it', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(list, { minLength: 1, maxLength: 6 }), async (lists) => {
          await deleteEverything(intake.operator);
          for (const [step, rows] of lists.entries())
            await load(
              rows.map((one) => ({ ...REQUIRED_VALUES, ...one, digits: undefined })),
              `${step}.ndjson`,
              `feed ${step}`,
              'virtual_numbers',
            );
          const items = [...modelOf(lists)];
          for (const [digits, spellings] of Object.entries(NUMBERS)) {
            const there = items.filter(([, { now }]) => now?.digits === digits);
            const were = items.filter(
              (one) => !there.includes(one) && one[1].labels.some((d) => d === digits),
            );
            const byId = (some: typeof items) => some.toSorted(([a], [b]) => a - b);
            const expected = [...byId(there), ...byId(were)].map(([id, { now, changes }]) => [
              ...[id, now?.account_id ?? null, now?.did],
              changes.map(([account, events, feed]) => [account, events, feed, feed.replace('feed ', '')]),
            ]);
            for (const q of spellings) {
              const { data, total } = await find(q);
              assert.equal(total, expected.length);
              assert.deepEqual(
                data.map(({ id, account_id, item, history }) => [
                  ...[id, account_id, item?.['did']],
                  history.map(({ account_id: of, events, import: by }) => [
                    ...[of, events.join(), by?.feed, by?.source.replace('.ndjson', '')],
                  ]),
                ]),
                expected,
              );
            }
          }
          for (const [id, { now }] of items)
            assert.equal(
              (await find(String(id))).data.find((one) => one.id === id)?.account_id,
              now?.account_id ?? null,
            );
        }),
        { numRuns: Math.ceil(RUNS * kind.share) },
      );
    });

    test('finds a number as it is written within its country, and a service by its title', async () => {
      await deleteEverything(intake.operator);
      const { did: _, status: __, created_at: ___, ...service } = REQUIRED_VALUES;
      await load([{ account_id: 'C1', id: 1_001, ...REQUIRED_VALUES }], 'n.ndjson', 'n', 'virtual_numbers');
      await load(
        [
          { account_id: 'C1', id: 7, ...service, title: 'Number Porting' },
          { account_id: 'C2', id: 8, ...service, title: 'number porting' },
          { account_id: 'C2', id: 9, ...service, title: 'Porting' },
        ],
        's.ndjson',
        's',
        'additional_services',
      );
      const ids = async (q: string) => (await find(q)).data.map(({ id }) => id);
      assert.deepEqual(await ids(' 020 7946 0018 '), [1_001]);
      assert.deepEqual(await ids('NUMBER PORTING'), [7, 8]);
      assert.deepEqual(await ids('9'), [9]);
      assert.deepEqual(await ids('2079460'), []);
    });

    test('shows a token no charges, no other list and no other network than it is for', async () => {
      await deleteEverything(intake.operator);
      const service = { ...REQUIRED_VALUES, did: undefined, status: undefined, created_at: undefined };
      const services = [{ account_id: 'C1', id: 112, ...service, title: '112' }];
      for (const monthly of ['1.00', '2.00'])
        await load(
          [{ account_id: 'C1', id: 1_001, ...REQUIRED_VALUES, did: '112', monthly }],
          'n.ndjson',
          'n',
          'virtual_numbers',
        );
      await load(services, 's.ndjson', 's', 'additional_services');
      const asks = async (limits: object) => {
        const made = await createOperatorToken(intake.operator, { name: '', may: ['read'], limits });
        const headers = { authorization: `Bearer ${made.token}` };
        return intake.sendWith('GET', 'find?q=112', undefined, headers);
      };
      const all = (await asks({})).json.data;
      assert.deepEqual(
        all.map(({ list }: { list: string }) => list),
        ['virtual_numbers', 'additional_services'],
      );
      assert.deepEqual([all[0].item.monthly, all[0].history[0].events], [2, ['charges_changed', 'changed']]);
      const [one, ...others] = (await asks({ charges: false, lists: ['virtual_numbers'] })).json.data;
      const charges = Object.entries(tables.virtual_numbers.list.fields).filter(
        ([, { kind: of }]) => of === 'charge',
      );
      const { item } = all[0];
      for (const [name] of charges) delete item[name];
      assert.deepEqual([one.item, one.history[0].events, others], [item, ['changed'], []]);
      const elsewhere = await asks({ addresses: ['203.0.113.0/24'] });
      assert.deepEqual(
        [elsewhere.status, elsewhere.json.detail],
        [403, 'This token may not be used from this address.'],
      );
      assert.equal((await asks({ addresses: ['127.0.0.0/8', '::1/128'] })).status, 200);
    });

    test('is the same by command and over HTTP, within the accounts of a token', async () => {
      await deleteEverything(intake.operator);
      const at = (account_id: string) => [
        { account_id: 'C1', id: 1_002, ...REQUIRED_VALUES, did: '112' },
        { account_id, id: 1_001, ...REQUIRED_VALUES },
      ];
      for (const account of ['C2', 'C1']) await load(at(account), 'a.ndjson', 'billing', 'virtual_numbers');
      const hook = ['--account', 'C1', '--url', 'https://crm.example.com/hook/secret', '--name', 'CRM'];
      const url = ['--database-url', intake.database_url];
      const key = { LINECARD_SIGNING_KEY: Buffer.alloc(32, 7).toString('base64') };
      const made = await runProgram(['webhook', 'create', ...hook, ...url], { env: key });
      assert.equal(made.status, 0, made.err);
      const [all, bound, other] = await Promise.all(
        [null, ['C1'], ['C3']].map((accounts) =>
          createOperatorToken(intake.operator, { name: 'support', may: ['read'], accounts }),
        ),
      );
      const asks = (token: string | undefined, more = '') =>
        intake.sendWith('GET', `find?q=%2B442079460018${more}`, undefined, {
          authorization: `Bearer ${token}`,
        });
      const shown = await runProgram(['find', '+442079460018', '--json', ...url]);
      const answered = await asks(all?.token);
      assert.deepEqual(JSON.parse(shown.out), answered.json.data);
      const [found] = answered.json.data;
      assert.deepEqual([found.account_id, found.webhooks[0].host], ['C1', 'crm.example.com']);
      assert.deepEqual(
        found.history.map((one: { account_id: string; import: { feed: string } }) => [
          one.account_id,
          one.import.feed,
        ]),
        [
          ['C1', 'billing'],
          ['C2', 'billing'],
        ],
      );
      assert.doesNotMatch(answered.text, /secret/);
      const [own] = (await asks(bound?.token)).json.data;
      assert.deepEqual(
        own.history.map((one: { account_id: string; import: object | null }) => [one.account_id, one.import]),
        [['C1', null]],
      );
      const text = await runProgram(['find', '+442079460018', ...url]);
      assert.match(text.out, /^\+442079460018: virtual_numbers 1001, of account C1\n/);
      assert.match(text.out, /CRM {2}crm\.example\.com/);
      assert.deepEqual((await asks(other?.token)).json.data, []);
      assert.equal((await asks(bound?.token, '&account=C2')).status, 403);
      assert.equal((await asks(intake.token)).status, 403);
      const none = await runProgram(['find', '+4411111111', ...url]);
      assert.deepEqual([none.status, none.out], [1, '']);
      assert.match(none.err, /No account has "\+4411111111"/);
    });
  });
}
