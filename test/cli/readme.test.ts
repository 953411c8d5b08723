// What the README of the package shows is what happens.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Customer, openCustomer } from '../kit/customer.ts';

const README = readFileSync(join(import.meta.dirname, '..', '..', 'cli', 'README.md'), 'utf8');
const WIDTH = '100';

/** Each command with what the page shows below it. */
const shown = [...README.matchAll(/```console\n(.*?)```/gs)]
  .flatMap(([, session = '']) => session.split(/^\$ /m).slice(1))
  .map((step) => ({ typed: step.slice(0, step.indexOf('\n')), answer: step.slice(step.indexOf('\n') + 1) }));

describe('the README of the command', () => {
  let customer: Customer;
  before(async () => {
    customer = await openCustomer();
  });
  after(() => customer.close());

  test('shows a session', () => assert.ok(shown.length > 5));

  for (const { typed, answer } of shown) {
    test(`$ ${typed}`, async () => {
      const words = [...typed.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
      assert.equal(words[0], 'linecard');
      const { out, err } = await customer.linecard(words.slice(1), { environment: { COLUMNS: WIDTH } });
      assert.equal(out.replaceAll('\r\n', '\n') + err, answer);
    });
  }
});
