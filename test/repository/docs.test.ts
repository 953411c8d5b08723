// The documentation that follows from the contract is current: what `npm run docs` would write is what is
// there.

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { docs } from '../../tools/docs.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** What the script does not write: one paragraph of advice to each problem. */
const ADVICE = /<!-- end -->\s+\*\*What to do\.\*\* \S/g;

/** Where a link leads: a file, a heading or both; no address elsewhere, nor one of a running server. */
const LINK = /\]\((?![a-z]+:|\/)([^)#\s]*)(?:#([^)\s]*))?\)/g;

/** The headings of a page as links name them. */
const anchorsOf = (path: string) =>
  [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

test('every link between the documents and the sources leads to a file, and to a heading of it', () => {
  const pages = globSync(['*.md', '*/README.md', 'docs/**/*.md'], { cwd: ROOT, exclude: ['node_modules'] });
  assert.ok(pages.length > 10);
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(LINK)]
      .filter(([, path = '', heading]) => {
        const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
        return !existsSync(file) || (heading !== undefined && !anchorsOf(file).includes(heading));
      })
      .map(([link]) => `${page}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

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
    const text = docs().get('docs/generated/problems.md') ?? '';
    assert.equal(text.match(ADVICE)?.length, text.match(/<!-- end -->/g)?.length);
  });
});
