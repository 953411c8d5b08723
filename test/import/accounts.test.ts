// Accounts in bulk: each file is taken completely or refused with every fault, parents make a tree of at most
// eight levels, and only what a customer sees of an account renews its revision.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { ImportRefused } from '../../server/import/faults.ts';
import type { Format } from '../../server/import/files.ts';
import { importBody } from '../../server/import/import.ts';
import { ACCOUNTS, type ImportJob } from '../../server/import/job.ts';
import {
  createAccount,
  deleteAccount,
  disableAccount,
  enableAccount,
  listAccounts,
} from '../../server/store/access/accounts.ts';
import { findCaller } from '../../server/store/access/callers.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { readRuns } from '../../server/store/imports/import-runs.ts';
import { readRevisions } from '../../server/store/lists/revisions.ts';
import type { AuditEntry } from '../../server/store/log/audit-reading.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { readAudit } from '../kit/audit-log.ts';
import { queriesAtRandom } from '../kit/hard-queries.ts';
import { ndjson } from '../kit/rows.ts';
import { databaseOf, stores } from '../kit/service.ts';
import { deleteEverything, faultsOfRefused, selectIn } from '../kit/stored-items.ts';
import type { Database } from '../kit/templates.ts';

const RUNS = queriesAtRandom(6);
const LEVELS = 8;

interface Row {
  readonly account_id: string;
  readonly name?: string | null;
  readonly currency?: string | null;
  readonly parent_id?: string | null;
  readonly disabled?: boolean;
}

/** An account as the naive model has it. */
interface ModelAccount {
  readonly name: string;
  readonly currency: string | null;
  readonly parent_id: string | null;
  readonly disabled: boolean;
}
type Model = ReadonlyMap<string, ModelAccount>;

const NEW: ModelAccount = { name: '', currency: null, parent_id: null, disabled: false };

function modelAfter(model: Model, rows: readonly Row[]): Model {
  const next = new Map(model);
  for (const { account_id, name, currency, parent_id, disabled } of rows) {
    const old = model.get(account_id) ?? NEW;
    next.set(account_id, {
      name: name === undefined ? old.name : (name ?? ''),
      currency: currency === undefined ? old.currency : currency || null,
      parent_id: parent_id === undefined ? old.parent_id : parent_id || null,
      disabled: disabled ?? old.disabled,
    });
  }
  return next;
}

/** Whether every parent exists, and no account is on a level that is too deep, as in a loop. */
function isTree(model: Model): boolean {
  return [...model.keys()].every((id) => {
    let level = 0;
    for (let at: string | null | undefined = id; at !== null; at = model.get(at)?.parent_id) {
      if (at === undefined || !model.has(at) || level === LEVELS) return false;
      level += 1;
    }
    return true;
  });
}

const IDS = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'Ä 1', '𝒵,"'];
const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 2 });
const row = fc
  .record({
    account_id: fc.constantFrom(...IDS),
    name: optional(fc.constantFrom('', 'x', 'Müller & Söhne', null)),
    currency: optional(fc.constantFrom('EUR', 'GBP', '', null)),
    parent_id: optional(fc.constantFrom(...IDS, '', null)),
    disabled: optional(fc.boolean()),
  })
  .map((one) => JSON.parse(JSON.stringify(one)) as Row);
const files = fc.array(
  fc.uniqueArray(row, { minLength: 1, maxLength: 8, selector: ({ account_id }) => account_id }),
  { minLength: 1, maxLength: 6 },
);

/** A chain of accounts, each below the one before. */
const chain = (prefix: string, length: number, parent_id: string | null = null): Row[] =>
  Array.from({ length }, (_, i) => ({
    account_id: `${prefix}${i + 1}`,
    parent_id: i === 0 ? parent_id : `${prefix}${i}`,
  }));

for (const kind of stores) {
  describe(`an import of accounts, on ${kind.name}`, () => {
    let database: Database;
    let store: Store;

    beforeEach(async () => {
      database = await databaseOf(kind);
      store = await openStore(database.url, 'write');
    });
    afterEach(async () => {
      await store.close();
      await database.remove();
    });

    function run(text: string | Buffer, job: Partial<ImportJob & { format: Format }> = {}) {
      const body = { bytes: Buffer.from(text), isCompressed: false };
      return importBody({ store, table: ACCOUNTS, format: 'csv', ...job }, body);
    }
    const load = (rows: readonly Row[], job: Partial<ImportJob & { format: Format }> = {}) =>
      run(ndjson(rows), { format: 'ndjson', ...job });
    const faults = (rows: readonly Row[]) => faultsOfRefused(store, () => load(rows));

    async function accounts(): Promise<Record<string, string>> {
      const found = await listAccounts(store);
      await setImmediate();
      return Object.fromEntries(
        found.map(({ id, name, currency, parent_id, disabled_at }) => [
          id,
          [name, currency, parent_id, disabled_at === null ? '' : 'disabled']
            .map((one) => one ?? '')
            .join('|'),
        ]),
      );
    }

    async function revisions(...ids: string[]) {
      const found = await readRevisions(store, ids);
      await setImmediate();
      return found;
    }

    async function events(): Promise<string[]> {
      const found = await readAudit(store, {});
      await setImmediate();
      const text = ({ event, account_id, origin, actor }: AuditEntry) =>
        `${event} ${account_id} ${origin} ${actor}`;
      return found.filter(({ event }) => event !== 'import').map(text);
    }

    test('makes accounts and changes them; what the file does not have stays', async () => {
      await run('account_id,name,currency\nC1,One,EUR\nC2,Two,GBP\n');
      const summary = await run('account_id,name\nC2,Deux\nC1,One\nC3,\n');
      assert.deepEqual(
        [summary.rows, summary.inserted, summary.updated, summary.unchanged, summary.accounts_created],
        [3, 1, 1, 1, 1],
      );
      assert.deepEqual(await accounts(), { C1: 'One|EUR||', C2: 'Deux|GBP||', C3: '|||' });
      await run('account_id,name,currency,parent_id\nC2,,,C1\n');
      assert.deepEqual(await accounts(), { C1: 'One|EUR||', C2: '||C1|', C3: '|||' });
      await load([{ account_id: 'C2', parent_id: null }, { account_id: 'C1' }]);
      assert.deepEqual(await accounts(), { C1: 'One|EUR||', C2: '|||', C3: '|||' });
    });

    test('takes values with blanks around them without these, and an id with them twice', async () => {
      await run('account_id,name,currency,parent_id,disabled\nC1,One,EUR,,false\nC2,Two,,C1,true\n');
      const padded = '\u00a0C1 ,One\t, EUR, ,false  \nC2\u200b,  Two, ,C1   , true\n';
      const summary = await run(`account_id,name,currency,parent_id,disabled\n${padded}`);
      assert.deepEqual([summary.unchanged, summary.accounts_created], [2, 0]);
      assert.deepEqual(await faultsOfRefused(store, () => run('account_id\nC1\nC1 \n')), [
        'line 3: account_id: "C1" is there twice; it was first given at line 2.',
      ]);
    });

    test('takes gzip, semicolons and Latin-1, and ids of any script', async () => {
      const csv = Buffer.from('account_id;name\nKühn;"Café; Nord"\n', 'latin1');
      await run(gzipSync(csv), { delimiter: ';', encoding: 'windows-1252' });
      await load([
        { account_id: '𝒵 "1"', parent_id: 'Kühn' },
        { account_id: 'ﬁ', parent_id: '𝒵 "1"' },
      ]);
      assert.deepEqual(await accounts(), { Kühn: 'Café; Nord|||', ﬁ: '||𝒵 "1"|', '𝒵 "1"': '||Kühn|' });
    });

    test('reports every fault with its line, and changes nothing', async () => {
      await createAccount(store, 'there');
      const text =
        'account_id,name,currency,parent_id,disabled\nA,,eur,,true\n,x,,,false\nB,,,nobody,false\nB,,,,false\nC,,,C,false\nD,,,there,\nE,,,A,maybe\n';
      assert.deepEqual(await faultsOfRefused(store, () => run(text)), [
        'line 2: currency: must be an ISO 4217 code in upper case, such as EUR, or none, but was "eur"; did you mean EUR?',
        'line 3: account_id: is required, but was empty.',
        'line 4: parent_id: there is no account "nobody". Create it, in this import or before, or correct the id.',
        'line 5: account_id: "B" is there twice; it was first given at line 4.',
        'line 6: parent_id: makes a loop: "C" below "C". No account can be below itself: correct one of them.',
        'line 7: disabled: is required, but was empty.',
        'line 8: disabled: must be true or false, but was "maybe".',
      ]);
      assert.deepEqual(await accounts(), { there: '|||' });
      const [ran] = (await readRuns(store, { limit: 1 })).map((one) => one);
      assert.deepEqual([ran?.list, ran?.outcome, ran?.faults], ['accounts', 'refused', 7]);
      assert.match(
        (await faultsOfRefused(store, () => run('account_id,parent,removed\nA,,\n'))).join('\n'),
        /parent and removed are not columns of accounts\. Did you mean parent_id for parent\?/,
      );
    });

    test('shows the first hundred faults, and counts all', async () => {
      const rows = Array.from({ length: 150 }, (_, i) => ({ account_id: `A${i}`, parent_id: `none${i}` }));
      const error = await load(rows).catch((caught: unknown) => caught);
      assert.ok(error instanceof ImportRefused);
      assert.deepEqual([error.faults.length, error.total], [100, 150]);
      assert.match(error.faults[99] ?? '', /^line 100: parent_id: there is no account "none99"/);
    });

    test('takes parents that come later, in eight levels and no ninth', async () => {
      await load(chain('L', LEVELS).toReversed());
      assert.equal((await accounts())['L8'], '||L7|');
      const [fault] = await faults([{ account_id: 'L9', parent_id: 'L8' }]);
      assert.match(
        fault ?? '',
        /^line 1: parent_id: puts an account below the 8 levels .*"L9" below "L8" below .*"L1"/,
      );
      assert.equal((await faults(chain('M', LEVELS + 1))).length, 1);
      // What is below it in the database counts as well.
      const [below] = await faults([{ account_id: 'top' }, { account_id: 'L1', parent_id: 'top' }]);
      assert.match(below ?? '', /^line 2: parent_id: .*"L8" below .*"L1" below "top"/);
      await load([
        { account_id: 'top' },
        { account_id: 'L1', parent_id: 'top' },
        { account_id: 'L8', parent_id: 'L6' },
      ]);
    });

    test('names a loop through the database and the file', async () => {
      await load(chain('L', 3));
      const [loop] = await faults([
        { account_id: 'N', parent_id: 'L3' },
        { account_id: 'L1', parent_id: 'N' },
      ]);
      assert.match(
        loop ?? '',
        /^line 1: parent_id: makes a loop: "N" below "L3" below "L2" below "L1" below "N"\./,
      );
      const long = chain('P', 30).map((one, i) => (i === 0 ? { ...one, parent_id: 'P30' } : one));
      const found = await faults(long);
      assert.equal(found.length, 30);
      for (const one of found) assert.match(one, /makes a loop: "P\d+" below/);
      // One that is below a loop is reported with it.
      const more = await faults([
        { account_id: 'X', parent_id: 'Y' },
        { account_id: 'Y', parent_id: 'X' },
        { account_id: 'Z', parent_id: 'X' },
      ]);
      assert.match(more[2] ?? '', /^line 3: parent_id: makes a loop: "X" below "Y" below "X"\./);
    });

    test('may turn a tree over in one file', async () => {
      await load(chain('L', LEVELS));
      const turned = Array.from({ length: LEVELS }, (_, i) => ({
        account_id: `L${i + 1}`,
        parent_id: i + 1 === LEVELS ? null : `L${i + 2}`,
      }));
      assert.equal((await load(turned)).updated, LEVELS);
      assert.equal((await accounts())['L1'], '||L2|');
    });

    test('renews the revision of an account of which a customer sees something change, and no other', async () => {
      await load([
        { account_id: 'A', name: 'a' },
        { account_id: 'B', name: 'b' },
        { account_id: 'C', currency: 'EUR' },
        { account_id: 'D' },
      ]);
      const before = await revisions('A', 'B', 'C', 'D');
      await load([
        { account_id: 'A', name: 'a', disabled: true },
        { account_id: 'B', name: 'other' },
        { account_id: 'C', currency: 'GBP' },
        { account_id: 'D', parent_id: 'B', currency: null },
      ]);
      const after = await revisions('A', 'B', 'C', 'D');
      const renewed = [...after].filter(([id, revision]) => before.get(id) !== revision);
      assert.deepEqual(
        renewed.map(([id]) => id),
        ['B', 'C'],
      );
      const ended = await selectIn(store, 'select account_id, sequence, revision from revisions order by 1');
      assert.deepEqual(
        ended.map(([id, sequence, revision]) => [id, sequence, revision]),
        [
          ['B', 0, before.get('B')],
          ['C', 0, before.get('C')],
        ],
      );
      const sequences = await selectIn(store, 'select id, sequence from accounts order by id');
      assert.deepEqual(Object.fromEntries(sequences), { A: 0, B: 1, C: 1, D: 0 });
    });

    test('disables and enables as the commands do, with the tokens, and records who did it', async () => {
      await load([
        { account_id: 'A', name: 'Ä' },
        { account_id: 'B', disabled: true },
      ]);
      await createAccount(store, 'C');
      const tokens: string[] = [];
      for (const id of ['A', 'B', 'C']) tokens.push((await createToken(store, id, ''))?.token ?? '');
      await disableAccount(store, 'C');
      const valid = async () => {
        await setImmediate();
        const found = await Promise.all(tokens.map((one) => findCaller(store, one)));
        await setImmediate();
        return found.map((one) => one !== undefined);
      };
      assert.deepEqual(await valid(), [true, false, false]);
      const provenance = { origin: 'intake', actor: 'T1', source: 'x' } as const;
      await load(
        [
          { account_id: 'A', disabled: true },
          { account_id: 'B', disabled: false },
          { account_id: 'C', disabled: false },
        ],
        { provenance },
      );
      assert.deepEqual(await valid(), [false, true, true]);
      const own = (await events()).filter((one) => one.endsWith('intake T1')).toSorted();
      assert.deepEqual(own, [
        'account disabled A intake T1',
        'account enabled B intake T1',
        'account enabled C intake T1',
        'token resumed C intake T1',
        'token suspended A intake T1',
      ]);
      await enableAccount(store, 'A');
      assert.deepEqual(await valid(), [true, true, true]);
      const disabledAt = async () =>
        (await selectIn(store, `select disabled_at from accounts where id = 'A'`))[0]?.[0];
      await load([{ account_id: 'A', disabled: true }]);
      const first = await disabledAt();
      assert.equal((await load([{ account_id: 'A', disabled: true }])).unchanged, 1);
      assert.equal(await disabledAt(), first);
    });

    test('records what was created and changed, and nothing of what stays', async () => {
      await load([{ account_id: 'A' }, { account_id: 'B' }]);
      await load([
        { account_id: 'A', name: 'x' },
        { account_id: 'B', parent_id: 'A' },
      ]);
      const before = await events();
      assert.deepEqual(
        before.map((one) => one.split(' ').slice(0, 3).join(' ')),
        ['account created A', 'account created B', 'account updated A', 'account updated B'],
      );
      await load([{ account_id: 'A', name: 'x' }, { account_id: 'B' }]);
      assert.deepEqual(await events(), before);
    });

    test('shows in a dry run what would change, and changes nothing', async () => {
      await load([{ account_id: 'A' }]);
      const before = await accounts();
      const rows = [{ account_id: 'A', disabled: true }, { account_id: 'B' }];
      const summary = await load(rows, { dry_run: true });
      assert.deepEqual(summary.accounts, [
        { account_id: 'A', inserted: 0, updated: 1, disabled: 1, enabled: 0 },
        { account_id: 'B', inserted: 1, updated: 0, disabled: 0, enabled: 0 },
      ]);
      assert.deepEqual(await accounts(), before);
      await assert.rejects(load([{ account_id: 'B', parent_id: 'none' }], { dry_run: true }), ImportRefused);
    });

    test('leaves no account whose parent is deleted', async () => {
      await load(chain('L', 2));
      assert.equal(await deleteAccount(store, 'L1'), false);
      assert.deepEqual(Object.keys(await accounts()), ['L1', 'L2']);
      assert.equal(await deleteAccount(store, 'L2'), true);
      assert.equal(await deleteAccount(store, 'L1'), true);
    });

    test('does what the naive model does, whatever the files', async () => {
      await fc.assert(
        fc.asyncProperty(files, async (all) => {
          await deleteEverything(store);
          let model: Model = new Map();
          for (const rows of all) {
            const next = modelAfter(model, rows);
            const before = await revisions(...IDS);
            const error: unknown = await load(rows).then(
              () => undefined,
              (caught: unknown) => caught,
            );
            const refused = error instanceof ImportRefused;
            if (!refused) assert.equal(error, undefined);
            assert.equal(refused, !isTree(next), JSON.stringify([...model, rows]));
            const after = await revisions(...IDS);
            for (const [id, { name, currency }] of refused ? [] : model) {
              const isShown = name !== next.get(id)?.name || currency !== next.get(id)?.currency;
              assert.equal(before.get(id) !== after.get(id), isShown, id);
            }
            if (!refused) model = next;
            const shown = ({ name, currency, parent_id, disabled }: ModelAccount) =>
              [name, currency ?? '', parent_id ?? '', disabled ? 'disabled' : ''].join('|');
            assert.deepEqual(
              await accounts(),
              Object.fromEntries([...model].map(([id, one]) => [id, shown(one)])),
            );
          }
        }),
        { numRuns: Math.ceil(RUNS * kind.share) },
      );
    });
  });
}
