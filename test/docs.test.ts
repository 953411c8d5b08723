// The documentation that follows from the contract is current: what `npm run docs` would write is what is
// there.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { docs } from '../tools/docs.ts';

const ROOT = join(import.meta.dirname, '..');
/** What the script does not write: one paragraph of advice to each problem. */
const ADVICE = /<!-- end -->\s+\*\*What to do\.\*\* \S/g;

describe('generated documentation', () => {
  for (const [path, made] of docs()) {
    test(`${path} is what \`npm run docs\` writes`, () => {
      assert.ok(
        readFileSync(join(ROOT, path), 'utf8') === made,
        `${path} is out of date: run \`npm run docs\``,
      );
    });
  }

  test('every problem comes with what to do about it', () => {
    const text = docs().get('docs/problems.md') ?? '';
    assert.equal(text.match(ADVICE)?.length, text.match(/<!-- end -->/g)?.length);
  });
});
