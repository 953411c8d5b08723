// docs/reliability.md says of each drill what it proves and what its last run in full has counted.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type DrillResult, drillNamed, drillNames, Tally } from '../drills/drill.ts';
import { isCurrent, isWrong, withResults } from '../drills/results.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const document = readFileSync(join(ROOT, 'docs/reliability.md'), 'utf8');
const drills = await Promise.all(drillNames().map(drillNamed));

describe('docs/reliability.md', () => {
  test('names a test for each drill that has no short form of its own', () => {
    for (const { name, short } of drills) {
      assert.ok(short === undefined || existsSync(join(ROOT, short)), `${name}: ${short}`);
    }
  });

  for (const drill of drills) {
    test(`says what ${drill.name} proves, and what came of it (\`npm run drills -- --full --write ${drill.name}\`)`, () => {
      assert.ok(drill.proves.length > 0);
      assert.ok(isCurrent(document, drill));
    });
  }
});

test('each text that a mutation takes away is in its source once', async () => {
  const drill = await drillNamed('mutations');
  const results = await drill.run('short', () => {});
  assert.ok(!isWrong({ name: 'mutations', seconds: 0, results }), JSON.stringify(results, undefined, 1));
});

describe('what a drill has counted', () => {
  const well: DrillResult = { did: 'killed', count: 1_200, wrong: 0, note: 'a|b' };
  const wrong: DrillResult = { did: 'killed', count: 2, wrong: 1 };
  const nothing: DrillResult = { did: 'killed', count: 0, wrong: 0 };
  const runOf = (...results: DrillResult[]) => ({ name: 'one', seconds: 61.4, results });

  test('is wrong where one thing is, or where nothing was done', () => {
    assert.equal(isWrong(runOf(well)), false);
    for (const results of [[well, wrong], [nothing], []]) assert.ok(isWrong(runOf(...results)));
  });

  test('is written into the document, which is current only with every sentence and what came of it', () => {
    const drill = { name: 'one', proves: ['It holds.'], run: async () => [] };
    const empty = 'a\n<!-- drill: one -->\n<!-- end -->\nb\n';
    assert.equal(isCurrent(empty, drill), false);
    const written = withResults(empty, drill, runOf(well));
    assert.equal(
      written,
      'a\n<!-- drill: one -->\n- It holds.\n\n1,200 checks in 61 s, none wrong.\n<!-- end -->\nb\n',
    );
    assert.ok(isCurrent(written, drill));
    assert.equal(withResults(written, drill, runOf(well)), written);
    assert.equal(isCurrent(written, { ...drill, proves: ['It holds.', 'This too.'] }), false);
    assert.match(
      withResults(empty, drill, runOf(well, wrong)),
      /- It holds\.\n\n1,202 checks in 61 s, 1 wrong\.\n<!-- end -->/,
    );
    assert.throws(() => withResults('', drill, runOf(well)), /no section/);
  });

  test('begins with what was wrong first', () => {
    const tally = new Tally();
    tally.add();
    tally.add('this');
    tally.add('that');
    assert.deepEqual(tally.result('asked', '5 ms'), {
      did: 'asked',
      count: 3,
      wrong: 2,
      note: 'first: this; 5 ms',
    });
  });
});
