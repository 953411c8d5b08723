// A reseller with the client, `linecard` and an agent's tools: the accounts below its own, and each of them
// read by its id.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { toolHandlers } from '../../api/agent/serve.ts';
import { Cache, Client } from '../../api/index.ts';
import { createAccount } from '../../server/store/access/accounts.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { move } from '../kit/account-tree.ts';
import { type Customer, openCustomer } from '../kit/customer.ts';
import { envelope, Faulty, JSON_HEADERS, status, TOKEN } from '../kit/faulty.ts';

const BELOW = 'harbour-dental';
const OTHERS = ['a, b', 'Köln 7', 'c'];

describe('a reseller', () => {
  let customer: Customer;
  let token: string;
  let client: Client;
  before(async () => {
    customer = await openCustomer();
    const { operator } = customer.service;
    await createAccount(operator, 'reseller', { name: 'Reseller' });
    for (const id of OTHERS) await createAccount(operator, id, { name: `Customer ${id}` });
    for (const id of [BELOW, ...OTHERS]) await move(operator, id, 'reseller');
    const made = await createToken(operator, 'reseller', 'tree', undefined, { reach: 'tree' });
    token = made?.token ?? assert.fail();
    client = new Client({ url: customer.url, token, cache: new Cache() });
  });
  after(() => customer.close());

  const linecard = (...words: string[]) =>
    customer.linecard(words, { environment: { LINECARD_TOKEN: token } });

  test('reads an account below with a client for it, and its own with another, from one cache', async () => {
    const own = new Client({ url: customer.url, token: customer.service.tokenOf(BELOW).token });
    const below = client.account(BELOW);
    for (let i = 0; i < 2; i++) {
      assert.equal((await client.virtualNumbers.list()).total, 0);
      assert.deepEqual((await below.virtualNumbers.list()).data, (await own.virtualNumbers.list()).data);
      assert.equal((await client.account()).id, 'reseller');
      assert.equal((await below.account()).id, BELOW);
    }
    assert.deepEqual(
      (await Array.fromAsync(below.virtualNumbers.iterate())).length,
      (await own.virtualNumbers.list()).total,
    );
    const file = await below.virtualNumbers.export({ fields: ['id'] });
    assert.equal((await Array.fromAsync(file)).length, file.total);
    for (const id of OTHERS) assert.equal((await client.account(id).account()).id, id);
    await assert.rejects(client.account('nobody').account(), { code: 'forbidden', status: 403 });
    assert.throws(() => client.account(''), { code: 'invalid-option' });
    assert.throws(() => client.account('\ud800'), { code: 'invalid-option' });
    assert.throws(() => new Client({ url: customer.url, token, headers: { 'Linecard-Account': 'c' } }), {
      code: 'invalid-option',
    });
  });

  test('lists the accounts below, one page or all', async () => {
    const page = await client.accounts({ page_size: 3 });
    assert.deepEqual([page.total, page.total_pages], [4, 2]);
    const all = await Array.fromAsync(client.accounts({ page_size: 1 }), ({ id }) => id);
    assert.deepEqual(all, [...OTHERS, BELOW].toSorted());
    const [found] = (await client.accounts({ q: 'KÖLN' })).data;
    assert.partialDeepStrictEqual(found, { id: 'Köln 7', name: 'Customer Köln 7', accounts: 0 });
    await assert.rejects(client.accounts({ page: 0 }), { code: 'invalid-parameter' });
    assert.equal((await client.account(BELOW).accounts()).total, 0);
  });

  test('walks over the accounts below and gives none twice when one is added before them', async () => {
    const { operator } = customer.service;
    const seen: string[] = [];
    for await (const { id } of client.accounts({ page_size: 2 })) {
      seen.push(id);
      if (seen.length !== 2) continue;
      await createAccount(operator, 'A first one');
      await move(operator, 'A first one', 'reseller');
    }
    await move(operator, 'A first one', null);
    assert.deepEqual(seen, [...OTHERS, BELOW].toSorted());
  });

  test('refuses the answer of a server that does not know the header', async () => {
    const faulty = new Faulty();
    await faulty.open();
    faulty.answers(status(200, JSON_HEADERS, envelope(1, 1)));
    const older = new Client({ url: faulty.url, token: TOKEN, account: 'C7' });
    await assert.rejects(older.virtualNumbers.list(), {
      code: 'unexpected-answer',
      message: /does not say that it is about the account C7/,
    });
    faulty.close();
  });

  test('uses linecard --account before or after the words of a command', async () => {
    const list = ['virtual-numbers', 'list', '--output', 'csv'];
    const own = await customer.linecard(list);
    for (const words of [
      ['--account', BELOW, ...list],
      [`--account=${BELOW}`, ...list],
      [...list, '--account', BELOW],
    ]) {
      const { status: exit, out, err } = await linecard(...words);
      assert.equal(exit, 0, err);
      assert.equal(out, own.out);
    }
    assert.match((await linecard('whoami', '--account', 'Köln 7')).out, /^Account +Customer Köln 7/m);
    assert.match((await linecard('api', '/api/v1/account', '--account', 'c')).out, /"id":"c"/);
    const refused = await linecard('whoami', '--account', 'nobody');
    assert.equal(refused.status, 1);
    assert.match(refused.err, /may not read the account nobody/);
    assert.equal((await linecard('login', '--account', 'c')).status, 2);
  });

  test('lists them with linecard accounts list', async () => {
    const { status: exit, out, err } = await linecard('accounts', 'list');
    assert.equal(exit, 0, err);
    assert.match(out, /^ID +NAME/);
    assert.match(err, /4 of 4/);
    const all = await linecard('accounts', 'list', '--all', '--page-size', '1', '--output', 'csv');
    assert.equal(all.out.split('\r\n').length, 6, all.err);
    const some = await linecard('accounts', 'list', '--q', 'köln', '--output', 'json');
    assert.deepEqual(
      JSON.parse(some.out).map(({ id }: { id: string }) => id),
      ['Köln 7'],
    );
    assert.match((await linecard('accounts', 'list', '--account', BELOW)).err, /No accounts below match/);
    assert.equal((await linecard('accounts', 'list', '--all', '--page', '2')).status, 2);
  });

  test('asks the tools of an agent for any account', async () => {
    const { signal } = new AbortController();
    const { call } = toolHandlers({ connect: () => client, explain: (error) => (error as Error).message });
    const ask = (name: string, given: Record<string, unknown>) =>
      call({ params: { name, arguments: given } }, { mcpReq: { signal } });
    const listed = await ask('accounts', { q: 'harbour' });
    assert.partialDeepStrictEqual(listed.structuredContent, { total: 1, data: [{ id: BELOW }] });
    const { total } = await client.account(BELOW).virtualNumbers.list();
    for (const name of ['virtual_numbers_facets', 'virtual_numbers_list']) {
      assert.equal((await ask(name, { account: BELOW })).structuredContent?.['total'], total);
      assert.equal((await ask(name, {})).structuredContent?.['total'], 0);
    }
    assert.equal((await ask('account', { account: BELOW })).structuredContent?.['id'], BELOW);
    const refused = await ask('account', { account: 'nobody' });
    assert.match(refused.content[0]?.text ?? '', /may not read the account nobody/);
    for (const account of [7, '']) assert.equal((await ask('account', { account })).isError, true);
    const own = await ask('account', {});
    assert.deepEqual(await ask('account', { account: null }), own);
  });
});
