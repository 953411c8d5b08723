// Two processes of `serve` on one database while fields are declared, given values and removed under load:
// each has noticed after 5 seconds, and no answer, before or after, has a mixture.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { declareField, removeField, updateNumbers } from '../kit/own-fields.ts';
import { Operator } from '../kit/program.ts';
import { numberRow } from '../kit/rows.ts';
import { databaseOf, load, stores } from '../kit/service.ts';

const ACCOUNT = 'C1';
const ROWS = 500;
const PATH = '/api/v1/did/me';
const NOTICED_WITHIN_MS = 5_000;
const CLIENTS = 3;
const FORMS = ['?page_size=100', '?page_size=100&sort_by=comment&sort_order=desc', '.ndjson', '/facets'];

/** What an answer says of own fields: the names that all items have, or that are counted. */
function namesIn(body: string): string {
  const own = (one: object) => Object.keys(one).filter((name) => name.startsWith('x_'));
  if (body.startsWith('{"facets"') || body.includes('"sums"')) return own(JSON.parse(body).facets).join();
  const items: object[] = body.startsWith('{"data"')
    ? JSON.parse(body).data
    : body
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
  const names = new Set(items.map((item) => own(item).join()));
  assert.equal(names.size, 1, `The items of one answer have ${[...names].join(' and ')}`);
  return String([...names][0]);
}

for (const kind of stores) {
  describe(`own fields of two processes on ${kind.name}`, () => {
    let operator: Operator;
    let store: Store;
    let urls: readonly string[];
    let token: string;
    let database: Awaited<ReturnType<typeof databaseOf>>;

    before(async () => {
      database = await databaseOf(kind);
      store = await openStore(database.url, 'write');
      const rows = Array.from({ length: ROWS }, (_, i) => numberRow(ACCOUNT, i + 1));
      await load(store, 'virtual_numbers', rows);
      operator = new Operator(database.url);
      token = await operator.mustDo('token', 'create', '--account', ACCOUNT, '--name', 'test');
      const words = ['--rate-limit', '0'];
      urls = (await Promise.all([operator.serve(...words), operator.serve(...words)])).map(({ url }) => url);
    });
    after(async () => {
      operator.close();
      await store.close();
      await database.remove();
    });

    test('each has noticed after 5 seconds, and none answers with a mixture, whatever load there is', async () => {
      let isRunning = true;
      /** What may be answered now: what was declared last, and until all had time what was before. */
      let may: readonly string[] = [''];
      let answers = 0;
      const ask = async (url: string, form: string) => {
        const headers = { authorization: `Bearer ${token}` };
        const began = may;
        const answer = await fetch(`${url}${PATH}${form}`, { headers });
        const body = await answer.text();
        assert.equal(answer.status, 200, body);
        const names = namesIn(body);
        // What was declared while it was answered counts as well.
        assert.ok([...began, ...may].includes(names), `${form}: ${names}, not ${may.join(' or ')}`);
        answers += 1;
      };
      const clients = Array.from({ length: CLIENTS }, async (_, client) => {
        for (let i = client; isRunning; i += 1)
          await ask(String(urls[i % urls.length]), String(FORMS[Math.trunc(i / 2) % FORMS.length]));
      });
      const all = Promise.all(clients);
      all.catch(() => {});
      const acts: readonly (readonly [act: () => Promise<unknown>, then: string])[] = [
        [() => declareField(store, { name: 'x_site', kind: 'text' }), 'x_site'],
        [() => declareField(store, { name: 'x_sms', kind: 'flag' }), 'x_site,x_sms'],
        [() => removeField(store, 'x_site'), 'x_sms'],
        [() => declareField(store, { name: 'x_site', kind: 'text' }), 'x_sms,x_site'],
        [() => removeField(store, 'x_sms'), 'x_site'],
      ];
      for (const [act, then] of acts) {
        may = [...may, then];
        await act();
        if (then.includes('x_site'))
          await updateNumbers(store, [{ account_id: ACCOUNT, id: 1 + (answers % ROWS), x_site: 'Basel' }]);
        await sleep(NOTICED_WITHIN_MS);
        may = [then];
      }
      isRunning = false;
      await all;
      assert.ok(answers > 100, `${answers} answers`);
    });
  });
}
