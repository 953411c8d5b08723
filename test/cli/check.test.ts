// `linecard virtual-numbers check`, as a customer runs it: what it prints, and its exit status.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createToken } from '../../server/store/access/tokens.ts';
import { type Customer, number, openCustomer } from '../kit/customer.ts';

describe('linecard virtual-numbers check', () => {
  let customer: Customer;
  const check = (...words: string[]) => customer.linecard(['virtual-numbers', 'check', ...words]);
  before(async () => {
    customer = await openCustomer({
      virtual_numbers: [
        number(1, '+442079460000', { monthly: '2.25', frequency: 'monthly' }),
        number(2, '+442079460001', { monthly: '2.25', frequency: 'quarterly', status: 'released' }),
      ],
    });
    const write = (name: string, text: string) => writeFileSync(join(customer.home, name), text);
    write('same.txt', '0044 20 7946 0000\n+442079460001\n');
    write('invoice.csv', 'n;Preis\n020 7946 0000;2,25\n+442079460001;7,00\n+442079460002;2,25\n');
    write('faulty.csv', `n;c\n${'123456789'.replaceAll(/\d/g, '+44207946000$&;x\n')}n/a;x\n`);
  });
  after(() => customer.close());

  test('the same numbers are exit status 0, also from standard input', async () => {
    const { status, out, err } = await check('same.txt');
    assert.deepEqual([status, err], [0, '']);
    assert.match(out, /^2 numbers in same\.txt, 2 on the account, as of \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n/);
    assert.match(out, / 2 on both {5}0 only in the file {5}0 only on the account\n$/);
    const piped = await customer.linecard(['virtual-numbers', 'check', '-'], { input: '+442079460000-01\n' });
    assert.equal(piped.status, 0, piped.err);
  });

  test('what differs is exit status 1, as a table, JSON and CSV', async () => {
    const { status, out, err } = await check('invoice.csv', '--amount-column', 'Preis');
    assert.deepEqual([status, err], [1, '']);
    assert.match(out, /^only in the file +4 +\+442079460002 /m);
    assert.match(out, /^with another amount +3 +\+442079460001 +\+442079460001 +2 +7 +2\.25$/m);
    const json = JSON.parse((await check('invoice.csv', '--amount-column', 'Preis', '--output', 'json')).out);
    assert.deepEqual(Object.keys(json), [
      ...['as_of', 'counts', 'both', 'only_in_file', 'only_on_account', 'amounts', 'twice', 'ambiguous'],
    ]);
    assert.equal(json.amounts[0].expected, 6.75);
    const csv = await check('invoice.csv', '--output', 'csv');
    assert.match(
      csv.out,
      /^result,line,number,did,id,amount,monthly\r\nboth,2,020 7946 0000,\+442079460000,1,,2\.25\r\n/,
    );
  });

  test('filters choose what is compared, and a line without a number is named', async () => {
    const { out } = await check('same.txt', '--statuses', 'active', '--output', 'json');
    assert.equal(JSON.parse(out).counts.on_account, 1);
    const { status, err } = await check('faulty.csv');
    assert.equal(status, 1);
    assert.match(err, /line 11 of faulty\.csv, "n\/a": this is no telephone number/);
  });

  test('what cannot be checked is exit status 2, and says what to do', async () => {
    for (const [words, said] of [
      [['gone.csv'], /gone\.csv cannot be read: there is no such file/],
      [['invoice.csv', '--amount-column', 'Prise'], /no column "Prise".*"n" and "Preis"/],
      [['invoice.csv', '--amount-per', 'month'], /give --amount-column/],
      [['invoice.csv', '--amount-column', 'Preis', '--amount-per', 'moth'], /Did you mean month/i],
      [['invoice.csv', '--output', 'xlsx'], /--output must be one of table, csv, json/],
    ] as const) {
      const { status, err } = await check(...words);
      assert.equal(status, 2, err);
      assert.match(err, said);
    }
  });

  test('a token without charges compares numbers, and no amounts', async () => {
    const made = await createToken(customer.service.operator, 'harbour-dental', 'clerk', undefined, {
      charges: false,
    });
    const environment = { LINECARD_TOKEN: made?.token ?? assert.fail() };
    const words = ['virtual-numbers', 'check'];
    const plain = await customer.linecard([...words, 'same.txt'], { environment });
    assert.equal(plain.status, 0, plain.err);
    const priced = [...words, 'invoice.csv', '--amount-column', 'Preis'];
    const refused = await customer.linecard(priced, { environment });
    assert.equal(refused.status, 2);
    assert.match(refused.err, /sees no charges, so amounts cannot be compared/);
  });
});
