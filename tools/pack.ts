// Tests the packages of `npm run build`: packs them, checks them with publint and attw, installs them into an
// empty folder, and there compiles and runs a program with the client, imports and serves with the server,
// and queries it with the command of customers.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = join(import.meta.dirname, '..');
const BIN = join(ROOT, 'node_modules', '.bin');
const PACKED = ['api', 'cli', 'server'];
const CLIENT_NODE = 22;
const SERVER_NODE = 26;
const MAX_SERVE_MS = 30_000;

const STRANGERS_PROGRAM = `
  import * as client from '@linecard/client';
  import { lists } from '@linecard/client/contract';
  import { QueryParser } from '@linecard/client/contract/query-parser';
  import { openapi } from '@linecard/client/openapi';
  export const names: readonly string[] = Object.keys(client);
  const { page } = new QueryParser(lists.virtual_numbers).ofString('page=2');
  if (names.length === 0 || openapi === undefined || page !== 2) throw new Error('@linecard/client exports nothing');
`;
const STRANGERS_TSCONFIG = {
  compilerOptions: { module: 'nodenext', strict: true, outDir: 'made', lib: ['es2023', 'dom'], types: [] },
};
const STRANGERS_ACCOUNT = 'a-customer';
const STRANGERS_ROWS = `account_id,id,did,status,created_at,frequency,subscription_status
${STRANGERS_ACCOUNT},1,+442079460000,active,2026-01-01T00:00:00Z,monthly,active
`;

const work = mkdtempSync(join(tmpdir(), 'linecard-pack-'));
try {
  const tarballs = PACKED.map(pack);
  const home = join(work, 'stranger');
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }\n');
  run('npm', ['install', '--loglevel=error', '--prefer-offline', ...tarballs], { cwd: home });
  useClient(home);
  await useServer(home);
  console.log(`Packed, checked, installed and used: ${PACKED.join(', ')}.`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function useClient(home: string): void {
  writeFileSync(join(home, 'program.ts'), STRANGERS_PROGRAM);
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify(STRANGERS_TSCONFIG));
  run(join(BIN, 'tsc'), ['-p', home]);
  run('node', [join(home, 'made', 'program.js')], { node: nodeOf(CLIENT_NODE) });
}

async function useServer(home: string): Promise<void> {
  const node = nodeOf(SERVER_NODE);
  const command = join(home, 'node_modules', '.bin', 'linecard-server');
  const rows = join(home, 'rows.csv');
  const database = ['--database-url', `sqlite:${join(home, 'linecard.db')}`];
  writeFileSync(rows, STRANGERS_ROWS);
  run(command, ['--help'], { node });
  run(command, ['recipe', 'show', 'astpp', 'accounts'], { node });
  run(command, ['import', 'virtual-numbers', rows, ...database], { node });

  const server = spawn(command, ['serve', '--port', '0', ...database], {
    env: environment(node),
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: MAX_SERVE_MS,
  });
  const stopped = once(server, 'exit') as Promise<[number | null]>;
  let said = '';
  let url: string | undefined;
  for await (const chunk of server.stderr.iterator({ destroyOnReturn: false })) {
    said += String(chunk);
    url = /answers at (http:\/\/[\w.:]+)/.exec(said)?.[1];
    if (url !== undefined) break;
  }
  const answered = url !== undefined && (await fetch(`${url}/docs`)).ok && (await hasConsole(url));
  if (url !== undefined) {
    const token = run(command, ['token', 'create', '--account', STRANGERS_ACCOUNT, ...database], { node });
    useCommand(home, url, token.trim());
    await useTools(url, token.trim());
  }
  server.kill('SIGTERM');
  const [code] = await stopped;
  if (!answered || code !== 0)
    throw new Error(`serve did not answer, or ended with status ${code}:\n${said}`);
}

async function useTools(url: string, token: string): Promise<void> {
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"virtual_numbers_facets"}}',
  });
  const text = await answer.text();
  if (!text.includes('"total":1')) throw new Error(`A tool at /mcp answers ${answer.status}: ${text}`);
}

async function hasConsole(url: string): Promise<boolean> {
  const page = await (await fetch(url)).text();
  const [, script] = /<script type="module"[^>]* src="([^"]+)"/.exec(page) ?? [];
  return script !== undefined && (await fetch(url + script)).ok;
}

function useCommand(home: string, url: string, token: string): void {
  const command = join(home, 'node_modules', '.bin', 'linecard');
  const variables = {
    LINECARD_URL: url,
    LINECARD_TOKEN: token,
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_CONFIG_HOME: join(home, 'config'),
  };
  const options = { node: nodeOf(CLIENT_NODE), variables };
  run(command, ['whoami'], options);
  const did = run(command, ['virtual-numbers', 'list', '--output', 'csv', '--columns', 'did'], options);
  if (did !== 'did\r\n+442079460000\r\n') throw new Error(`linecard shows other numbers:\n${did}`);
  const mcp = join(home, 'node_modules', 'linecard', 'mcp.js');
  run(
    'node',
    ['--input-type=module', '--eval', `await import(${JSON.stringify(pathToFileURL(mcp))})`],
    options,
  );
}

function pack(workspace: string): string {
  const folder = join(work, workspace);
  mkdirSync(folder);
  const dist = join(ROOT, workspace, 'dist');
  const answer = run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: dist });
  const [packed] = JSON.parse(answer) as [{ filename: string }];
  const tarball = join(folder, packed.filename);
  run(join(BIN, 'publint'), ['run', tarball, '--strict']);
  const { exports } = JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8')) as { exports?: object };
  if (exports !== undefined) run(join(BIN, 'attw'), [tarball, '--profile', 'esm-only', '--no-emoji']);
  return tarball;
}

/** The folder of the installed Node if it is recent enough, else of the one in node_modules. */
function nodeOf(major: number): string {
  const own = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.endsWith(join('node_modules', '.bin')))
    .find((folder) => existsSync(join(folder, 'node')));
  if (own === undefined) return BIN;
  const { stdout } = spawnSync(join(own, 'node'), ['--print', 'process.versions.node'], { encoding: 'utf8' });
  return Number.parseInt(stdout, 10) >= major ? own : BIN;
}

/** Runs a command and returns its standard output; prints all output if it fails. */
function run(
  command: string,
  args: readonly string[],
  { cwd = ROOT, node = BIN, variables = {} }: { cwd?: string; node?: string; variables?: object } = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...environment(node), ...variables },
  });
  if (status === 0) return stdout;
  console.error(`${command} ${args.join(' ')}\n${stdout}${stderr}${error?.message ?? ''}`);
  throw new Error(`${command} failed`);
}

function environment(node: string): NodeJS.ProcessEnv {
  return { ...process.env, PATH: [node, dirname(process.execPath), process.env['PATH']].join(delimiter) };
}
