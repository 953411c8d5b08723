// `linecard-server field` as an operator types it: what it prints, what it wants confirmed and what it
// refuses.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { openStore } from '../../server/store/open.ts';
import { updateNumbers } from '../kit/own-fields.ts';
import { Operator } from '../kit/program.ts';
import { numberRow } from '../kit/rows.ts';
import { load } from '../kit/service.ts';
import { makeFile } from '../kit/templates.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

describe('linecard-server field', () => {
  const { url } = makeFile('template');
  const operator = new Operator(url, { LINECARD_SIGNING_KEY: KEY });
  const field = (...words: string[]) => operator.run('field', ...words);

  before(async () => {
    const store = await openStore(url, 'write');
    const rows = [1, 2, 3].map((id) => numberRow('acme', id));
    await load(store, 'virtual_numbers', rows);
    await store.close();
  });

  test('add says what to do next; show prints the field; change says what it needs', async () => {
    const added = await field('add', 'virtual-numbers', 'x_site', '--kind', 'text', '--title', 'de=Standort');
    assert.deepEqual(
      [added.status, added.err],
      [0, 'Declared x_site (Site) of virtual numbers. Import a column of that name.\n'],
    );
    const { out } = await field('show', 'x_site');
    assert.match(
      out,
      /^list: virtual_numbers\nname: x_site\nkind: text\ntitle: Site\ntitles: \{"de":"Standort"\}\n/,
    );
    const nothing = await field('change', 'x_site');
    assert.equal(nothing.status, 2);
    assert.match(nothing.err, /Specify what to change: --title, .*--no-search, .*or --derive/);
    const both = await field('change', 'x_site', '--search', '--no-search');
    assert.deepEqual(
      [both.status, both.err.split('\n')[0]],
      [2, 'linecard-server: Use either --search or --no-search.'],
    );
    const changed = await field('change', 'x_site', '--title', 'Where it rings', '--search');
    assert.deepEqual([changed.status, changed.err], [0, 'Changed the field x_site.\n']);
    const shown = JSON.parse((await field('show', 'x_site', '--json')).out);
    assert.partialDeepStrictEqual(shown, {
      titles: { en: 'Where it rings', de: 'Standort' },
      search: true,
    });
  });

  test('show, change and remove need a field that is declared, and its list where both have it', async () => {
    for (const words of [['show'], ['change'], ['remove', '--yes']]) {
      const [act = '', ...options] = words;
      const more = act === 'change' ? ['--title', 'Trunk'] : options;
      const { status, err } = await field(act, 'x_trunk', ...more);
      assert.equal(status, 1);
      assert.match(err, /^linecard-server: There is no field x_trunk\. See: linecard-server field list$/m);
    }
    await field('add', 'additional-services', 'x_site', '--kind', 'text');
    const { status, err } = await field('show', 'x_site');
    assert.equal(status, 2);
    assert.match(err, /Both lists have x_site: say which with --list, such as --list virtual-numbers/);
    const { out } = await field('show', 'x_site', '--list', 'additional-services');
    assert.match(out, /^list: additional_services$/m);
    const removed = await field('remove', 'x_site', '--list', 'additional-services', '--yes');
    assert.equal(removed.err, 'Removed the field x_site, of which 0 items had a value.\n');
  });

  test('remove says how many items have a value and wants that confirmed; then, which webhooks named it', async () => {
    const store = await openStore(url, 'write');
    await updateNumbers(store, [
      { account_id: 'acme', id: 1, x_site: 'Basel' },
      { account_id: 'acme', id: 3, x_site: 'Bern' },
    ]);
    await store.close();
    const hook = ['webhook', 'create', '--account', 'acme', '--url', 'https://crm.example.com/hook'];
    const idOf = ({ err, status }: { err: string; status: number | null }) => {
      assert.equal(status, 0, err);
      return /webhook (\w+)/.exec(err)?.[1] ?? '';
    };
    const naming = idOf(await operator.run(...hook, '--fields', 'did,x_site'));
    idOf(await operator.run(...hook, '--fields', 'did'));
    const refused = await field('remove', 'x_site');
    assert.equal(refused.status, 2);
    assert.match(
      refused.err,
      /^linecard-server: Remove the field x_site, of which 2 items have a value\? .*add --yes\.$/m,
    );
    assert.equal((await field('show', 'x_site')).status, 0);
    const removed = await field('remove', 'x_site', '--yes');
    assert.deepEqual(
      [removed.status, removed.err],
      [
        0,
        `Removed the field x_site, of which 2 items had a value.\nWebhooks that name it no longer receive it: ${naming}.\n`,
      ],
    );
    assert.equal((await field('show', 'x_site')).status, 1);
  });
});
