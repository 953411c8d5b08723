// The memory of an import, which does not grow with its rows.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { mustRun } from '../kit/program.ts';
import { numberRow } from '../kit/rows.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { textRows, workbook } from '../kit/workbooks.ts';

const ROWS = 90_000;
/** 256 MiB as installed; Node takes 30 more to run TypeScript. */
const MAX_KIB = 286 * 1_024;
const REPORT = `data:text/javascript,${encodeURIComponent(
  `import { isMainThread } from 'node:worker_threads';
   if (isMainThread) process.on('exit', () => console.error('peak ' + process.resourceUsage().maxRSS));`,
)}`;

const folder = temporaryFolder();

/** Ids in no order, so that rows of all pages change together. */
function table(): string[][] {
  const rows = Array.from({ length: ROWS }, (_, i) => ({
    ...numberRow(`C${i % 3_000}`, ((i * 7_919) % ROWS) + 1),
    comment: `New York ${i}`,
  }));
  const [first = {}] = rows;
  return [Object.keys(first), ...rows.map((row) => Object.values(row).map(String))];
}

test(`an import of ${ROWS} rows takes at most 256 MiB, from CSV and from a workbook with shared texts`, async () => {
  const rows = table();
  const files = {
    'numbers.csv': rows.map((row) => row.join(',')).join('\n'),
    'numbers.xlsx': workbook({ sheets: [{ name: 'Numbers', rows: textRows(...rows) }] }),
  };
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    writeFileSync(path, content);
    const { err } = await mustRun(
      ['import', 'virtual-numbers', '--database-url', `sqlite:${join(folder, `${name}.db`)}`, path],
      { isAlone: true, env: { NODE_OPTIONS: `--import=${REPORT}` } },
    );
    assert.match(err, /90,000 inserted/);
    const peak = Number(/peak (\d+)/.exec(err)?.[1]);
    assert.ok(peak > 0 && peak <= MAX_KIB, `${name}: ${Math.round(peak / 1_024)} MiB`);
  }
});
