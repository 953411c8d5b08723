// Rows that commands print, as a table and as JSON: a few, and more than a call takes as arguments.

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { printRows } from './print.ts';

/** More than a call takes as arguments. */
const MANY = 200_000;

async function printed(print: () => Promise<void>): Promise<string> {
  const texts: string[] = [];
  let unread = 0;
  const own = process.stdout.write.bind(process.stdout);
  const write = mock.method(process.stdout, 'write', (text: string, done?: () => void) => {
    // The test runner writes, too.
    if (done === undefined) return own(text);
    // Its reader takes some time for each text.
    if (unread > 0) texts.push('a text was written before the one before it was read');
    unread += 1;
    setImmediate(() => {
      unread -= 1;
      done();
    });
    return texts.push(text) > 0;
  });
  try {
    await print();
  } finally {
    write.mock.restore();
  }
  return texts.join('');
}

test('a table has every row, and columns as wide as the widest cell of all', async () => {
  const rows = Array.from({ length: MANY }, (_, i) => ({ id: `a${i}`, name: i === 7 ? 'the widest' : null }));
  const lines = (await printed(() => printRows(false, ['name', 'id'], rows))).split('\n');
  assert.equal(lines.length, MANY + 2);
  assert.deepEqual(lines.slice(0, 2), ['NAME        ID', '-           a0']);
  assert.deepEqual([lines[8], lines.at(-2), lines.at(-1)], ['the widest  a7', '-           a199999', '']);
});

test('rows as JSON are one array, of none and of many', async () => {
  const json = (rows: readonly { id: number }[]) => printed(() => printRows(true, ['id'], rows));
  assert.equal(await json([]), '[]\n');
  assert.equal(await json([{ id: 1 }, { id: 2 }]), '[{"id":1},{"id":2}]\n');
  const rows = Array.from({ length: MANY }, (_, id) => ({ id }));
  assert.deepEqual(JSON.parse(await json(rows)), rows);
});

test('rows that are read some at a time are printed as those of one array', async () => {
  const rows = Array.from({ length: 10 }, (_, i) => ({ id: `${i}`, name: 'x'.repeat(i) }));
  async function* batches() {
    yield [];
    for (let i = 0; i < rows.length; i += 3) yield rows.slice(i, i + 3);
    yield [];
  }
  for (const isJson of [true, false])
    assert.equal(
      await printed(() => printRows(isJson, ['name', 'id'], batches)),
      await printed(() => printRows(isJson, ['name', 'id'], rows)),
    );
});
