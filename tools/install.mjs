// Installs the packages of package-lock.json if they are missing, including Node 26. Runs before `npm start`
// and `npm test`, and with `--node`, for Node alone, after every `npm install`. It runs on the Node of the
// machine (20 or newer), so it is plain JavaScript without dependencies.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED = 26;

const windows = process.platform === 'win32';
const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const packagedNode = join(modules, '.bin', windows ? 'node.cmd' : 'node');

if (!process.argv.includes('--node') && !isInstalled()) {
  console.error("Installing Linecard's packages, Node.js 26 among them (once, about half a minute) ...");
  npm('ci', '--include=dev', '--include=optional');
}
linkNode();
linkCommands();
requireNode();

/** Whether node_modules has every non-optional package of the lock, at its version. */
function isInstalled() {
  const wanted = read('package-lock.json').packages;
  const installed = read('node_modules', '.package-lock.json').packages ?? {};
  return Object.entries(wanted).every(
    ([path, { version, optional }]) =>
      optional ||
      !path.includes('node_modules/') ||
      (path in installed && installed[path].version === version),
  );
}

/** Creates node_modules/.bin/node if npm did not: npm 10 removes it with the packages of other platforms. */
function linkNode() {
  const packages = Object.keys(read('package.json').optionalDependencies);
  const ours = packages.find((name) => existsSync(join(modules, name)));
  if (ours === undefined) return;
  if (!existsSync(packagedNode)) npm('rebuild', '--silent', ours);
  const works = spawnSync(packagedNode, ['--version'], { shell: windows }).status === 0;
  if (works) return;
  // Built for another C library (Alpine): removed, so that the machine's own Node is used.
  rmSync(packagedNode, { force: true });
  rmSync(join(modules, ours), { recursive: true });
}

/** Links the commands of the workspaces again where npm linked a file of an earlier version. */
function linkCommands() {
  const isLinked = (name, file) => {
    const link = join(modules, '.bin', name);
    return existsSync(link) && realpathSync(link) === join(root, file);
  };
  const stale = ['cli', 'server'].filter((workspace) => {
    const { bin } = read(workspace, 'package.json');
    return Object.entries(bin).some(([name, file]) => !isLinked(name, join(workspace, file)));
  });
  if (stale.length > 0 && !windows)
    npm('rebuild', '--silent', ...stale.map((one) => read(one, 'package.json').name));
}

function requireNode() {
  if (existsSync(packagedNode) || Number.parseInt(process.versions.node, 10) >= NEEDED) return;
  console.error(
    `Linecard needs Node.js ${NEEDED} or newer. It brings its own to most machines, but has none for this one ` +
      `(${process.platform} ${process.arch}), whose Node.js is ${process.versions.node}. ` +
      `Please install Node.js ${NEEDED} and run this again.`,
  );
  process.exit(1);
}

function npm(...args) {
  const script = process.env.npm_execpath;
  const [command, ...first] = script ? [process.execPath, script] : ['npm'];
  const { status, error } = spawnSync(command, [...first, '--loglevel=error', ...args], {
    cwd: root,
    stdio: ['ignore', 2, 2], // standard output belongs to the command that comes after
    shell: windows && !script,
  });
  if (error) console.error(`npm could not be started: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

function read(...path) {
  const file = join(root, ...path);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}
