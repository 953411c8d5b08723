// Tables: widths as a terminal shows them, what fits, what gives way, what never does.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { additional_services } from '@linecard/client/contract/additional-services';
import type { Item } from '@linecard/client/contract/csv';
import { virtual_numbers } from '@linecard/client/contract/virtual-numbers';
import measured from 'fast-string-truncated-width';
import type { Paint } from './print.ts';
import { Table } from './table.ts';

const plain: Paint = (_style, text) => text;

const item: Item = {
  id: 1,
  did: '+442079460018',
  comment: 'Front desk',
  country: 'United Kingdom',
  country_code: 'GB',
  provider: 'Thameswire',
  status: 'active',
  subscription_status: 'active',
  frequency: 'monthly',
  activation: 0,
  monthly: 2.25,
  incoming: 0.0059,
  created_at: '2026-02-09T16:04:11.482913Z',
  activated_at: null,
  next_payment_at: '2026-12-01T00:00:00.000000Z',
  is_active_spam_check: true,
  is_spammed: false,
  spam_checked_at: null,
};

interface Laid {
  readonly lines: string[];
  readonly leftOut: readonly string[];
}

function laid(
  rows: readonly Item[],
  options: { width?: number; columns?: string[]; paint?: Paint } = {},
): Laid {
  const table = new Table(virtual_numbers, rows, { paint: plain, ...options });
  const text = table.head() + rows.map((row) => table.line(row)).join('');
  return { lines: text.split('\n').slice(0, -1), leftOut: table.leftOut };
}

/** The cells of one column, as they stand. */
function column(name: string, values: readonly Item[string][], width = 60): string[] {
  return laid(
    values.map((value) => ({ ...item, [name]: value })),
    { columns: [name], width },
  ).lines.slice(1);
}

describe('a table', () => {
  for (const width of [20, 40, 60, 80, 81, 100, 120, 200, 400]) {
    test(`fits into ${width} characters, the most important columns first`, () => {
      const comment = 'A comment that is longer than most lines are, to see who gives way to whom. '.repeat(
        3,
      );
      const { lines } = laid([item, { ...item, comment, status: 'configuration_awaiting' }], { width });
      for (const line of lines) assert.ok(measured(line).width <= width, line);
      assert.match(lines[0] ?? '', /^DID/);
      assert.match(lines[1] ?? '', /^\+442079460018/);
    });
  }

  test('says which columns it had no room for', () => {
    const { lines, leftOut } = laid([item], { width: 60 });
    const shown = (lines[0] ?? '').toLowerCase().split(/\s+/);
    assert.deepEqual([...shown, ...leftOut].toSorted(), Object.keys(virtual_numbers.fields).toSorted());
    assert.deepEqual(laid([item], { width: 400 }).leftOut, []);
  });

  test('shows every column in the order of the contract where there is no line to fit', () => {
    const { lines, leftOut } = laid([item]);
    assert.deepEqual((lines[0] ?? '').toLowerCase().split(/\s+/), Object.keys(virtual_numbers.fields));
    assert.deepEqual(leftOut, []);
  });

  test('of another list has columns of its own', () => {
    const table = new Table(additional_services, [{ id: 7, title: 'VPN access' }], {
      width: 40,
      paint: plain,
    });
    assert.match(table.head(), /^ID {2}TITLE/);
  });

  test('aligns charges by their point and integers at the right', () => {
    assert.deepEqual(column('monthly', [2.25, 12, 0.0059, -1000.5]), [
      '    2.25',
      '   12',
      '    0.0059',
      '-1000.5',
    ]);
    assert.deepEqual(column('id', [7, 9007199254740991]), ['               7', '9007199254740991']);
  });

  test('shows what is not there as -, nothing as nothing, flags as words', () => {
    assert.deepEqual(column('activated_at', [null]), ['-']);
    assert.deepEqual(column('comment', ['']), ['']);
    assert.deepEqual(column('is_active_spam_check', [true, false]), ['yes', 'no']);
    assert.deepEqual(column('is_spammed', [true, false]), ['SPAM', 'no']);
  });

  test('cuts a text with …, by what a terminal shows', () => {
    const [cut] = laid([{ ...item, comment: '予約デスクの長いコメント' }], {
      columns: ['did', 'comment'],
      width: 30,
    }).lines.slice(1);
    assert.equal(cut, '+442079460018  予約デスクの長…');
    assert.deepEqual(column('comment', ['Zoë e\u0301te\u0301', '👨‍👩‍👧‍👦 x', '予約']), [
      'Zoë e\u0301te\u0301',
      '👨‍👩‍👧‍👦 x',
      '予約',
    ]);
    const both = laid(
      [
        { ...item, comment: '予約' },
        { ...item, comment: 'abcd' },
      ],
      { columns: ['comment', 'did'] },
    ).lines;
    assert.deepEqual(both.slice(1), ['予約     +442079460018', 'abcd     +442079460018']);
  });

  test('never cuts a number, a code or a time: rather a block to an item', () => {
    const columns = ['did', 'monthly', 'next_payment_at', 'country_code'];
    const { lines } = laid([item, item], { columns, width: 30 });
    assert.deepEqual(lines.slice(0, 5), [
      'DID              +442079460018',
      'MONTHLY          2.25',
      'NEXT_PAYMENT_AT  2026-12-01',
      'COUNTRY_CODE     GB',
      '',
    ]);
    assert.equal(lines.length, 10);
  });

  test('paints the heading and the alarm', () => {
    const paint: Paint = (style, text) => `<${style}>${text}</${style}>`;
    const { lines } = laid([{ ...item, is_spammed: true }], { columns: ['did', 'is_spammed'], paint });
    assert.deepEqual(lines, [
      '<heading>DID            IS_SPAMMED</heading>',
      '+442079460018  <alarm>SPAM      </alarm>',
    ]);
  });

  test('lets nothing through that moves a terminal', () => {
    assert.deepEqual(column('comment', ['a\u001b[31m\nb\u009bc\u202ed']), ['a␛[31m␊b�c�d']);
  });

  test('is measured by its first rows: a wider one later keeps its numbers whole, and its texts where nothing is cut', () => {
    const columns = ['did', 'monthly', 'comment'];
    const later = {
      ...item,
      did: '+4420794600189999',
      monthly: 123456789.123456,
      comment: 'A longer comment',
    };
    const lineIn = (width?: number) =>
      new Table(virtual_numbers, [item], { width, columns, paint: plain }).line(later);
    assert.equal(lineIn(60), '+4420794600189999  123456789.123456  A longer …\n');
    assert.equal(lineIn(), '+4420794600189999  123456789.123456  A longer comment\n');
  });
});
