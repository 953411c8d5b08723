// The operator's own fields over HTTP: declared, changed, filled again and removed by an operator's token;
// what is refused, each with a sentence that says what to do; and what an import and a mapping make of a
// field that is removed.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, beforeEach, describe, test } from 'node:test';
import { importBody, importFiles } from '../../server/import/import.ts';
import { removeFieldOperation } from '../../server/operations/fields.ts';
import { createOperatorToken } from '../../server/store/access/tokens.ts';
import { openStore } from '../../server/store/open.ts';
import { tables } from '../../server/store/tables.ts';
import { CSV, type Intake, openIntake } from '../kit/intake-server.ts';
import { numberRow } from '../kit/rows.ts';
import { stores } from '../kit/service.ts';
import { faultsOfRefused, selectIn } from '../kit/stored-items.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const JSON_BODY = { 'content-type': 'application/json' };
const SITE = { list: 'virtual_numbers', name: 'x_site', kind: 'text' };
const BY = { origin: 'command', actor: 'test' } as const;
const LONG_AGO = '2026-01-01T00:00:00.000000Z';

for (const kind of stores) {
  describe(`fields of the operator on ${kind.name}`, () => {
    let intake: Intake;
    let headers: Readonly<Record<string, string>>;
    before(async () => {
      intake = await openIntake(kind);
      const { token } = await createOperatorToken(intake.operator, {
        name: 'desk',
        may: ['import', 'fields', 'audit'],
      });
      headers = { authorization: `Bearer ${token}` };
      const rows = [1, 2].map((id) => numberRow('C1', id, { did: `+44740012345${id}` }));
      await send('POST', 'virtual-numbers', rows.map((row) => `${JSON.stringify(row)}\n`).join(''), {
        'content-type': 'application/x-ndjson',
      });
    });
    after(() => intake.close());
    // As if the columns of what was removed had rested.
    beforeEach(async () => {
      const unset = 'update virtual_numbers set own_1 = null, own_1_folded = null';
      for (const text of ['delete from own_fields', unset]) await intake.operator.write({ text, values: [] });
    });

    const send = (method: string, path: string, body?: string, more = JSON_BODY as Record<string, string>) =>
      intake.sendWith(method, path, body, { ...headers, ...(body === undefined ? {} : more) });
    const fields = (method: string, path: string, body?: object) =>
      send(method, `fields${path}`, body && JSON.stringify(body));
    const update = (csv: string) => send('PATCH', 'virtual-numbers', csv, CSV);
    const own = (id: number, slot: number) =>
      selectIn(intake.operator, `select own_${slot} from virtual_numbers where id = ${id}`);

    test('are declared, shown, changed, listed and removed, with an entry of the audit log for each', async () => {
      const declared = await fields('POST', '', { ...SITE, titles: { de: 'Standort' }, search: true });
      const { created_at, ...site } = declared.json;
      assert.deepEqual([declared.status, typeof created_at], [201, 'string']);
      assert.deepEqual(site, {
        ...SITE,
        ...{ title: 'Site', titles: { de: 'Standort' }, search: true, shown: false, derive: null },
      });
      assert.deepEqual((await fields('GET', '/virtual_numbers/x_site')).json, declared.json);
      const { json: changed } = await fields('PATCH', '/virtual_numbers/x_site', {
        ...{ title: 'Where it rings', shown: true, search: false },
      });
      assert.deepEqual(changed, {
        ...declared.json,
        ...{ title: 'Where it rings', titles: { en: 'Where it rings', de: 'Standort' } },
        ...{ shown: true, search: false },
      });
      for (const fixed of [{ name: 'x_place' }, { kind: 'flag' }]) {
        const { status, json } = await fields('PATCH', '/virtual_numbers/x_site', fixed);
        assert.equal(status, 422);
        assert.match(json.detail, /^(?:name|kind) is not a member of a field\./);
      }
      assert.deepEqual((await fields('GET', '?list=virtual_numbers')).json, { data: [changed] });
      assert.deepEqual((await fields('GET', '?list=additional_services')).json, { data: [] });
      assert.equal((await fields('DELETE', '/virtual_numbers/x_site')).status, 204);
      const gone = await fields('GET', '/virtual_numbers/x_site');
      assert.equal(gone.status, 404);
      assert.match(gone.json.detail, /^There is no field x_site of virtual_numbers\. See: GET /);
      const events = await selectIn(intake.operator, 'select event, name from field_events order by id');
      assert.deepEqual(
        events,
        ['added', 'changed', 'removed'].map((event) => [event, 'x_site']),
      );
    });

    const REFUSED: readonly (readonly [given: object, detail: RegExp])[] = [
      [{ name: 'site' }, /^name must be x_ and then 1 to 30 of a-z, 0-9 and _, beginning with a letter/],
      [{ name: 'x_1' }, /^name must be x_/],
      [{ name: 'x_Site' }, /^name must be x_/],
      [{ name: `x_${'a'.repeat(31)}` }, /^name must be x_/],
      ...['exclude', 'min', 'max', 'after', 'before', 'from', 'to', 'count'].map(
        (end) =>
          [
            { name: `x_site_${end}` },
            new RegExp(`^name must not end in _${end}: filters end so\\. Choose another name`),
          ] as const,
      ),
      [{ kind: 'float' }, /^kind must be text, timestamp, charge, flag or integer/],
      [{ title: 'x'.repeat(101) }, /^title must be a text of at most 100 characters/],
      [{ titles: { xx: 'Site' } }, /^titles must be an object .* for each of en, de, es, fr and pt-BR/],
      [{ derive: 'city' }, /^derive must be number-type, or null/],
      [{ kind: 'flag', search: true }, /^search is for texts, and the kind of this field is flag/],
      [{ list: 'additional_services', derive: 'number-type' }, /^derive is for virtual numbers/],
      [{ colour: 'red' }, /^colour is not a member of a field\. Known are list, name, kind/],
    ];
    test('are refused where a name, a kind, a title or a member is not one, and nothing is changed', async () => {
      for (const [given, detail] of REFUSED) {
        const { status, json } = await fields('POST', '', { ...SITE, ...given });
        assert.equal(status, 422, JSON.stringify(given));
        assert.match(json.detail, detail);
        assert.match(json.detail, /Nothing was changed\.$/);
      }
      const bound = await createOperatorToken(intake.operator, {
        ...{ name: 'bound', accounts: ['C1'], may: ['fields'] },
      });
      const refused = await intake.sendWith('GET', 'fields', undefined, {
        authorization: `Bearer ${bound.token}`,
      });
      assert.equal(refused.status, 403);
      assert.match(
        refused.json.detail,
        /^This token is bound to accounts, and the fields of a list are of all/,
      );
      assert.deepEqual((await fields('GET', '')).json, { data: [] });
    });

    test('are at most sixteen, each with a name of its own; what one had is not given to the next', async () => {
      const names = Array.from({ length: 16 }, (_, i) => `x_n${i}`);
      for (const name of names) assert.equal((await fields('POST', '', { ...SITE, name })).status, 201, name);
      const again = await fields('POST', '', { ...SITE, name: 'x_n0' });
      assert.deepEqual(
        [again.status, again.json.detail],
        [409, 'The field x_n0 of virtual_numbers already exists.'],
      );
      const more = await fields('POST', '', SITE);
      assert.equal(more.status, 409);
      assert.match(
        more.json.detail,
        /already has 16 fields of yours, which is the maximum\. Remove one: DELETE /,
      );
      assert.equal((await update('account_id,id,x_n0\nC1,1,old\n')).status, 200);
      await fields('DELETE', '/virtual_numbers/x_n0');
      const resting = await fields('POST', '', SITE);
      assert.equal(resting.status, 409);
      assert.match(
        resting.json.detail,
        /are free in \d+ seconds, when every process has noticed\. Try again/,
      );
      const [[stored]] = (await selectIn(intake.operator, 'select declared from own_fields')) as [[string]];
      const text = stored.replace(/"removed_at":"[^"]*"/, `"removed_at":"${LONG_AGO}"`);
      await intake.operator.write({ text: 'update own_fields set declared = $1', values: [text] });
      assert.equal((await fields('POST', '', SITE)).status, 201);
      assert.deepEqual(await own(1, 1), [[null]]);
    });

    test('take no value that does not fit, and say which column of which line', async () => {
      const kinds = { x_site: 'text', x_last: 'timestamp', x_cost: 'charge', x_sms: 'flag', x_n: 'integer' };
      for (const [name, of] of Object.entries(kinds)) await fields('POST', '', { ...SITE, name, kind: of });
      const header = 'account_id,id,x_site,x_last,x_cost,x_sms,x_n\n';
      const { status, json } = await update(
        `${header}C1,1,${'a'.repeat(200)},,,,\nC1,2,${'a'.repeat(201)},yesterday,much,maybe,1.5\n`,
      );
      assert.equal(status, 422);
      const faults = json.errors as { line: number; column: string; detail: string }[];
      assert.deepEqual(
        faults.map(({ line, column }) => [line, column]),
        Object.keys(kinds).map((name) => [3, name]),
      );
      assert.equal(faults[0]?.detail, 'must have at most 200 characters, but has 201; shorten it.');
      assert.deepEqual(await own(1, 1), [[null]]);
      for (const [integer, expected] of Object.entries({
        '-9007199254740991': 200,
        '9007199254740992': 422,
      })) {
        const answer = await update(`account_id,id,x_n\nC1,1,${integer}\n`);
        assert.equal(answer.status, expected, integer);
      }
      const unknown = await update('account_id,id,x_trunk\nC1,1,a\n');
      assert.match(
        unknown.json.errors[0].detail,
        /Declare a field of your own first: linecard-server field add/,
      );
    });

    test('that are derived are filled where a column is empty or absent, and again by a request for it', async () => {
      const type = { ...SITE, name: 'x_type', derive: 'number-type' };
      await fields('POST', '', { ...type, derive: null });
      const refused = await fields('POST', '/virtual_numbers/x_type/derive', {});
      assert.equal(refused.status, 409);
      assert.match(refused.json.detail, /x_type of virtual_numbers is not derived\. Say how first: PATCH /);
      await fields('PATCH', '/virtual_numbers/x_type', { derive: 'number-type' });
      await update('account_id,id,x_type\nC1,2,ours\n');
      // Nothing stored changes by itself.
      assert.deepEqual(await own(1, 1), [[null]]);
      const derive = (body: object) => fields('POST', '/virtual_numbers/x_type/derive', body);
      assert.deepEqual((await derive({})).json, { rows: 1, updated: 1 });
      assert.deepEqual([await own(1, 1), await own(2, 1)], [[['mobile']], [['ours']]]);
      assert.deepEqual((await derive({})).json, { rows: 0, updated: 0 });
      assert.deepEqual((await derive({ all: true })).json, { rows: 2, updated: 1 });
      assert.deepEqual(await own(2, 1), [['mobile']]);
      const [[id, source, changed]] = (await selectIn(
        intake.operator,
        `select mode, source, changed from imports where source like 'field%' order by finished_at desc, id desc limit 1`,
      )) as [[string, string, string]];
      assert.deepEqual([id, source, JSON.parse(changed)], ['update', 'field derive x_type', { x_type: 1 }]);
      const { data } = (await send('GET', 'runs')).json;
      assert.partialDeepStrictEqual(data[0], { source: 'field derive x_type', outcome: 'done', updated: 1 });
    });

    test('are not removed while an import runs, and an import that began before is rejected as a whole', async (t) => {
      await fields('POST', '', SITE);
      const { operator: store } = intake;
      const other = await openStore(intake.database_url, 'change');
      t.after(() => other.close());
      const removing = (lockTimeoutMs: number) =>
        removeFieldOperation.run(
          { store: other, by: BY, waits: { lockTimeoutMs } },
          {},
          'virtual_numbers/x_site',
        );
      const job = {
        store,
        table: tables.virtual_numbers,
        files: ['-'],
        format: 'csv',
        update: true,
      } as const;
      let refused: unknown;
      await importFiles({
        ...job,
        beforeCommit: async () => {
          refused = await removing(50).catch((error: unknown) => error);
        },
        stdin: Readable.from(['account_id,id,x_site\n', 'C1,1,Basel\n']),
      });
      assert.match(String((refused as Error).message), /import/i);
      assert.deepEqual(await own(1, 1), [['Basel']]);

      async function* begun() {
        yield 'account_id,id,x_site\n';
        await removing(10_000);
        yield 'C1,2,Bern\n';
      }
      await assert.rejects(importFiles({ ...job, stdin: Readable.from(begun()) }), {
        message: /fields of virtual numbers were changed while this import began: run it again/,
      });
      assert.deepEqual(await own(2, 1), [[null]]);
    });

    test('that were removed are named by a mapping in vain, with the place', async () => {
      const mapping = join(temporaryFolder(), 'mapping.json');
      writeFileSync(mapping, JSON.stringify({ columns: { account_id: 'a', id: 'i', x_site: 'site' } }));
      const job = { store: intake.operator, table: tables.virtual_numbers, update: true, mapping };
      const body = { bytes: Buffer.from('a,i,site\nC1,1,x\n'), isCompressed: false };
      const faults = await faultsOfRefused(intake.operator, () =>
        importBody({ ...job, format: 'csv' }, body),
      );
      assert.match(JSON.stringify(faults), /\/columns\/x_site.*is not a column of virtual numbers/);
    });
  });
}
