// `linecard virtual-numbers ranges`, as a customer runs it: a table, CSV for a porting form, and JSON.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Customer, number, openCustomer } from '../kit/customer.ts';

describe('linecard virtual-numbers ranges', () => {
  let customer: Customer;
  const ranges = (...words: string[]) => customer.linecard(['virtual-numbers', 'ranges', ...words]);
  before(async () => {
    customer = await openCustomer({
      virtual_numbers: [
        number(1, '+442079460000', { monthly: '2.25', provider: 'A' }),
        number(2, '+442079460001', { monthly: '1.5', provider: 'B' }),
        number(3, '+442079460009', { monthly: '1', provider: 'B' }),
      ],
    });
  });
  after(() => customer.close());

  test('shows the first and the last number of each, and how many there are', async () => {
    const { status, out, err } = await ranges();
    assert.equal(status, 0, err);
    assert.match(
      out,
      /^FROM +TO +COUNT +COUNTRY_CODE +MONTHLY\n\+442079460000 +\+442079460001 +2 +GB +3\.75\n/,
    );
    assert.match(err, /^2 ranges, 3 numbers\.$/m);
  });

  test('are CSV and JSON with the fields by which they are split', async () => {
    const csv = await ranges('--split-by', 'provider', '--did-to', '+442079460001', '--output', 'csv');
    assert.equal(csv.status, 0, csv.err);
    const [head, ...lines] = csv.out.split('\r\n');
    assert.equal(head, 'from,to,count,country_code,provider,monthly');
    assert.deepEqual(lines, [
      '+442079460000,+442079460000,1,GB,A,2.25',
      '+442079460001,+442079460001,1,GB,B,1.5',
      '',
    ]);
    const json = await ranges('--min-count', '2', '--output', 'json');
    assert.deepEqual(
      JSON.parse(json.out).map(({ from, count }: Record<string, unknown>) => [from, count]),
      [['+442079460000', 2]],
    );
  });

  test('say so where nothing matches, and what cannot split them', async () => {
    const none = await ranges('--statuses', 'released');
    assert.deepEqual([none.status, none.out], [0, '']);
    assert.match(none.err, /No virtual numbers match\./);
    const wrong = await ranges('--split-by', 'comment');
    assert.notEqual(wrong.status, 0);
    assert.match(wrong.err, /split_by|split-by/);
  });
});
