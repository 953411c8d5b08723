// A token with limits, as its holder meets them: the client's types hold, and neither `linecard` nor an
// agent's tools show a charge, or an empty place for one.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { toolHandlers } from '../../api/agent/serve.ts';
import { lists } from '../../api/contract/contract.ts';
import { Client } from '../../api/index.ts';
import type { TokenLimits } from '../../server/store/access/token-scopes.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { type Customer, openCustomer } from '../kit/customer.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

/** All three charges stand next to each other; `monthly` is a frequency as well. */
const CHARGE = /activation|incoming|ACTIVATION|INCOMING|MONTHLY|"monthly"\s*:/;

describe('a token with limits', () => {
  let customer: Customer;
  let withoutCharges: string;
  let numbersOnly: string;
  before(async () => {
    customer = await openCustomer();
    const made = async (limits: Partial<TokenLimits>) =>
      (await createToken(customer.service.operator, 'harbour-dental', 'clerk', undefined, limits))?.token ??
      assert.fail();
    withoutCharges = await made({ charges: false });
    numbersOnly = await made({ lists: ['virtual_numbers'], reach: 'tree' });
  });
  after(() => customer.close());

  const linecard = (words: readonly string[], token = withoutCharges) =>
    customer.linecard(words, { environment: { LINECARD_TOKEN: token } });

  for (const words of [
    ['list'],
    ['list', '--columns', 'all'],
    ['list', '--output', 'json'],
    ['list', '--output', 'csv'],
    ['list', '--all', '--output', 'ndjson', '--columns', 'all'],
    ['get', '501'],
    ['get', '501', '--output', 'json', '--columns', 'all'],
    ['export'],
    ['export', '--columns', 'all'],
    ['facets'],
  ]) {
    test(`virtual-numbers ${words.join(' ')} shows no charge, and no place for one`, async () => {
      const { status, out, err } = await linecard(['virtual-numbers', ...words]);
      assert.equal(status, 0, err);
      assert.notEqual(out, '');
      assert.doesNotMatch(out + err, CHARGE);
      assert.doesNotMatch(err, /Charges are/);
    });
  }

  for (const name of ['numbers.db', 'numbers.ndjson'])
    test(`a copy in ${name} is never continued by a token that sees more or less`, async () => {
      const [seen, unseen] = [join(temporaryFolder(), name), join(temporaryFolder(), name)];
      const sync = (file: string, token: string) => linecard(['virtual-numbers', 'sync', file], token);
      const all = customer.token;
      for (const [file, token, other, says] of [
        [seen, all, withoutCharges, /is a copy with charges, and not without charges\. Name another file/],
        [unseen, withoutCharges, all, /is a copy without charges, and not with charges\. Name another file/],
      ] as const) {
        assert.match((await sync(file, token)).err, /: all of them read\.\n$/);
        const bytes = readFileSync(file);
        const refused = await sync(file, other);
        assert.equal(refused.status, 1);
        assert.match(refused.err, says);
        assert.match((await sync(file, token)).err, /: nothing has changed\.\n$/);
        assert.deepEqual(readFileSync(file), bytes);
      }
    });

  test('a column or an order that is a charge is refused by its option', async () => {
    for (const words of [
      ['list', '--columns', 'did,monthly'],
      ['list', '--output', 'json', '--columns', 'monthly'],
      ['get', '501', '--columns', 'incoming'],
      ['export', '--columns', 'activation'],
    ]) {
      const { status, out, err } = await linecard(['virtual-numbers', ...words]);
      assert.deepEqual([status, out], [2, '']);
      assert.match(err, /This token may not see any charge, and --columns asks for one\./);
    }
    const { err } = await linecard(['virtual-numbers', 'list', '--sort-by', 'monthly']);
    assert.match(err, /--sort-by asks for one/);
  });

  test('whoami says what the token may not see', async () => {
    const { out } = await linecard(['whoami']);
    assert.match(out, /^Currency +not visible to this token$/m);
    const limited = await linecard(['whoami'], numbersOnly);
    assert.match(limited.out, /^Additional services +not visible to this token$/m);
    assert.match(limited.out, /^Token reaches +the accounts below as well$/m);
    const list = await linecard(['additional-services', 'list'], numbersOnly);
    assert.equal(list.status, 1);
    assert.match(list.err, /This token may not see additional services\./);
  });

  test('the client reads what there is', async () => {
    const client = new Client({ url: customer.url, token: withoutCharges });
    const { token, currency } = await client.account();
    assert.deepEqual([token.charges, currency], [false, null]);
    const { sums, due } = await client.virtualNumbers.facets();
    assert.deepEqual([sums, due[7].monthly], [{}, undefined]);
    for await (const number of client.virtualNumbers.iterate()) assert.equal('monthly' in number, false);
    const copy = await client.additionalServices.changes();
    assert.ok(copy.data.every(({ item }) => item === null || !('activation' in item)));
    const limited = new Client({ url: customer.url, token: numbersOnly });
    const { additional_services, token: own } = await limited.account();
    assert.deepEqual([additional_services, own.lists, own.reach], [null, ['virtual_numbers'], 'tree']);
    await assert.rejects(limited.additionalServices.list(), { code: 'forbidden', status: 403 });
  });

  test('the tools of an agent show no charge either, and refuse another list', async () => {
    const explain = (error: unknown) => (error as Error).message;
    const { signal } = new AbortController();
    const ask = (token: string) => {
      const { call } = toolHandlers({ connect: () => new Client({ url: customer.url, token }), explain });
      return (name: string, given: Record<string, unknown>) =>
        call({ params: { name, arguments: given } }, { mcpReq: { signal } });
    };
    const clerk = ask(withoutCharges);
    for (const [name, given] of [
      ['virtual_numbers_facets', {}],
      ['virtual_numbers_list', {}],
      ['virtual_numbers_get', { id: 501 }],
      ['additional_services_list', {}],
      ['changes_since', { list: 'virtual_numbers' }],
    ] as const) {
      const { structuredContent, isError } = await clerk(name, given);
      assert.equal(isError, undefined, name);
      assert.doesNotMatch(JSON.stringify(structuredContent), CHARGE, name);
    }
    const refused = await clerk('virtual_numbers_list', { fields: ['id', 'monthly'] });
    assert.match(refused.content[0]?.text ?? '', /fields asks for one/);
    const numbers = ask(numbersOnly);
    for (const list of Object.values(lists)) {
      for (const tool of ['facets', 'list']) {
        const { isError } = await numbers(`${list.name}_${tool}`, {});
        assert.equal(isError ?? false, list.name === 'additional_services');
      }
    }
  });
});
