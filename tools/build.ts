// Builds the packages that are published. Node does not run TypeScript in node_modules, so each published
// workspace is compiled into its dist/, with a package.json that points to the JavaScript. Nothing in the
// repository reads dist/.

import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkedOut } from '../server/version.ts';

/** In order of dependency: the types of the others refer to the client's. */
const PUBLISHED = ['api', 'cli', 'server'];

/** Folders that a package includes from elsewhere: name in the package to folder in the repository. */
const CARRIED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  server: { console: 'console/dist' },
};

const ROOT = join(import.meta.dirname, '..');
const COMPILER = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  /** Files in the package other than code, for example `schema`. */
  readonly files?: readonly string[];
  readonly [field: string]: unknown;
}

run(join(ROOT, 'console', 'build.ts'));
for (const workspace of PUBLISHED) {
  const source = join(ROOT, workspace);
  const target = join(source, 'dist');
  rmSync(target, { recursive: true, force: true });
  run(COMPILER, '-p', join(source, 'tsconfig.build.json'));

  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest;
  for (const file of ['README.md', ...(manifest.files ?? [])]) {
    cpSync(join(source, file), join(target, file), { recursive: true });
  }
  const carried = CARRIED[workspace] ?? {};
  for (const [name, folder] of Object.entries(carried)) {
    cpSync(join(ROOT, folder), join(target, name), {
      recursive: true,
      filter: (path) => !path.endsWith('.vite'),
    });
  }
  cpSync(join(ROOT, 'LICENSE'), join(target, 'LICENSE'));
  const made = published(manifest, Object.keys(carried));
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(made, null, 2)}\n`);
  console.log(`${manifest.name} is in ${workspace}/dist`);
}

function run(...args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** The published manifest: `.ts` becomes `.js` with types, and what only the repository needs is removed. */
function published(
  { name, exports, bin, files = [], ...rest }: Manifest,
  carried: readonly string[],
): object {
  return {
    name,
    ...rest,
    // An image is built without the repository.
    gitHead: process.env['COMMIT'] || checkedOut(ROOT),
    private: undefined,
    scripts: undefined,
    devDependencies: undefined,
    exports: exports && mapValues(exports, (file) => ({ types: typed(file), default: compiled(file) })),
    bin: bin && mapValues(bin, compiled),
    files: ['**/*.js', '**/*.d.ts', ...files, ...carried],
  };
}

function mapValues<T>(record: Readonly<Record<string, string>>, change: (value: string) => T) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

function compiled(file: string): string {
  return file.replace(/\.ts$/, '.js');
}

function typed(file: string): string {
  return file.replace(/\.ts$/, '.d.ts');
}
