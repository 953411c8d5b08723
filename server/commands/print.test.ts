// Rows that commands print, as a table and as JSON: a few, and more than a call takes as arguments.

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { printRows } from './print.ts';

/** More than a call takes as arguments. */
const MANY = 200_000;

function printed(print: () => void): string {
  const texts: string[] = [];
  const write = mock.method(
    process.stdout,
    'write',
    (text: string | Uint8Array) => texts.push(String(text)) > 0,
  );
  try {
    print();
  } finally {
    write.mock.restore();
  }
  return texts.join('');
}

test('a table has every row, and columns as wide as the widest cell of all', () => {
  const rows = Array.from({ length: MANY }, (_, i) => ({ id: `a${i}`, name: i === 7 ? 'the widest' : null }));
  const lines = printed(() => printRows(false, ['name', 'id'], rows)).split('\n');
  assert.equal(lines.length, MANY + 2);
  assert.deepEqual(lines.slice(0, 2), ['NAME        ID', '-           a0']);
  assert.deepEqual([lines[8], lines.at(-2), lines.at(-1)], ['the widest  a7', '-           a199999', '']);
});

test('rows as JSON are one array, of none and of many', () => {
  const json = (rows: readonly { id: number }[]) => printed(() => printRows(true, ['id'], rows));
  assert.equal(json([]), '[]\n');
  assert.equal(json([{ id: 1 }, { id: 2 }]), '[{"id":1},{"id":2}]\n');
  const rows = Array.from({ length: MANY }, (_, id) => ({ id }));
  assert.deepEqual(JSON.parse(json(rows)), rows);
});
