// What is run in place of a source, in processes and threads of its own: its bundle, where this run of tests
// has bundles (tools/bundles.ts), else the source itself.

import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const { TEST_BUNDLES } = process.env;

export function bundleOf(source: string): string {
  if (TEST_BUNDLES === undefined) return source;
  const bundle = join(TEST_BUNDLES, relative(ROOT, source).replace(/\.ts$/, '.js'));
  return existsSync(bundle) ? bundle : source;
}
