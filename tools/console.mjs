// Builds the console if it is missing or older than its sources. Runs before `npm start` and `npm test`, on
// any Node, so it is plain JavaScript without dependencies.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The sources of the console; the lock represents its dependencies. */
const SOURCES = ['console', 'api', 'package-lock.json'];
const NOT_OURS = ['node_modules', 'dist'];

const root = fileURLToPath(new URL('..', import.meta.url));
const built = join(root, 'console', 'dist', 'index.html');

if (!existsSync(built) || newest(SOURCES.map((name) => join(root, name))) > statSync(built).mtimeMs) {
  console.error('Building the console (once, a few seconds) ...');
  const script = join(root, 'console', 'build.ts');
  const { status } = spawnSync('node', [script], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** The time of the latest change, in milliseconds. */
function newest(paths) {
  const times = paths.map((path) => {
    const { mtimeMs } = statSync(path);
    const inside = statSync(path).isDirectory()
      ? readdirSync(path).filter((name) => !NOT_OURS.includes(name) && !name.endsWith('.test.ts'))
      : [];
    return Math.max(
      mtimeMs,
      ...(inside.length === 0 ? [] : [newest(inside.map((name) => join(path, name)))]),
    );
  });
  return Math.max(...times);
}
