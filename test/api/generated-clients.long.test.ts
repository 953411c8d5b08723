// Clients that generators of others make of the OpenAPI document: they compile with every check of
// TypeScript, and do eight jobs as plain requests do; and so does one through a proxy that validates.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fillDemo } from '../../server/demo/demo.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { mustRun } from '../kit/client-programs.ts';
import { freePort } from '../kit/free-port.ts';
import { type Generator, generators, PRISM, programOf } from '../kit/generated-clients.ts';
import { openService, type Service, stores } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const COMPILER = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const FILTERS = 'country_codes=GB&country_codes=DE&is_spammed=false&statuses_exclude=blocked';
const COMPILER_OPTIONS = {
  module: 'esnext',
  moduleResolution: 'bundler',
  target: 'esnext',
  lib: ['esnext', 'dom', 'dom.iterable'],
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  types: [],
};

interface Found {
  readonly list: unknown;
  readonly [job: string]: unknown;
}

describe('clients that generators make of the OpenAPI document', () => {
  const folder = temporaryFolder();
  let service: Service;
  let tokens = { TOKEN: '', LIMITED: '' };
  let base = '';
  let expected: Found;

  before(async () => {
    service = await openService(stores[0] ?? assert.fail(), { rateLimit: 0 });
    const [account] = (await fillDemo(service.operator)) ?? [];
    const id = account?.id ?? assert.fail();
    const tokenOf = async (charges: boolean) =>
      (await createToken(service.operator, id, 'test', undefined, { charges }))?.token ?? assert.fail();
    tokens = { TOKEN: await tokenOf(true), LIMITED: await tokenOf(false) };
    base = `http://127.0.0.1:${await service.listen()}`;
    expected = await jobsByHand();
    const together = generators.filter((one) => one.isApart !== true);
    await install(folder, [...new Set([...together.flatMap((one) => one.packages), PRISM])]);
  });
  after(() => service.close());

  async function install(into: string, packages: readonly string[]) {
    writeFileSync(join(into, 'package.json'), '{ "type": "module", "private": true }');
    await mustRun('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], into);
  }

  async function ask(path: string, token = tokens.TOKEN) {
    const answer = await fetch(`${base}/api/v1/did/me${path}`, { headers: { authorization: token } });
    return answer.text();
  }

  /** The same jobs without a client. */
  async function jobsByHand(): Promise<Found> {
    const read = async (path: string, token?: string) => JSON.parse(await ask(path, token));
    const list = await read('?page_size=3&sort_by=monthly&sort_order=desc');
    const filtered = await read(`?${FILTERS}&page_size=5`);
    const { data: all } = await read('?page_size=1000');
    const facets = await read('/facets?charges=true');
    const problem = await read('?cursor=x');
    const idsOf = (items: { id: number }[]) => items.map(({ id }) => id);
    const file = (await ask(`.ndjson?${FILTERS}`)).trim().split('\n');
    return {
      list: [list.total, list.data.map((one: Record<string, unknown>) => [one['did'], one['monthly']])],
      walk: idsOf(all),
      filters: [filtered.total, idsOf(filtered.data)],
      facets: [
        facets.total,
        facets.sums.monthly,
        facets.facets.country_codes.values.map(({ value }: { value: string }) => value),
      ],
      changes: [0, false, all.map(({ did }: { did: string }) => did)],
      file: idsOf(file.map((line) => JSON.parse(line))),
      error: [problem.status, problem.type, problem.errors?.[0]?.parameter ?? null],
      limited: [all[0].did, null, null],
    };
  }

  /** Generates and compiles the client of a generator, in a folder below the packages. */
  async function generated(generator: Generator): Promise<string> {
    const { name, packages, files, command, isApart = false } = generator;
    const own = join(folder, name.replaceAll(/\W+/g, '-'));
    mkdirSync(own);
    if (isApart) await install(own, packages);
    copyFileSync(join(ROOT, 'docs', 'generated', 'openapi.json'), join(own, 'openapi.json'));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(own, file), text);
    const [script, ...words] = command;
    await mustRun(
      process.execPath,
      [join(isApart ? own : folder, 'node_modules', '.bin', script), ...words],
      own,
    );
    writeFileSync(join(own, 'program.ts'), programOf(generator));
    const tsconfig = { compilerOptions: COMPILER_OPTIONS, include: ['**/*.ts'] };
    writeFileSync(join(own, 'tsconfig.json'), JSON.stringify(tsconfig));
    await mustRun(process.execPath, [COMPILER, '-p', own], own);
    return own;
  }

  const jobsOf = async (own: string, url: string): Promise<Found> =>
    JSON.parse(await mustRun(process.execPath, ['program.ts'], own, { BASE: url, ...tokens }));

  const folders = new Map<string, string>();
  for (const generator of generators)
    test(`${generator.name}: it compiles, and its eight jobs find what plain requests do`, async () => {
      const own = await generated(generator);
      folders.set(generator.name, own);
      assert.ok((expected['walk'] as number[]).length > 20);
      assert.deepEqual(await jobsOf(own, base), expected);
    });

  test('Prism between a client and the service finds no request and no answer that the document has not', async (t) => {
    const own = folders.get(generators[0]?.name ?? '') ?? assert.fail('There is no client.');
    const port = `${await freePort()}`;
    const prism = join(folder, 'node_modules', '.bin', 'prism');
    const words = ['proxy', 'openapi.json', base, '--errors', '--port', port];
    const child = spawn(process.execPath, [prism, ...words], { cwd: own });
    t.after(() => child.kill('SIGKILL'));
    let said = '';
    child.stdout.on('data', (chunk) => (said += chunk));
    child.stderr.on('data', (chunk) => (said += chunk));
    await until('Prism listens', () => said.includes('listening'));
    assert.deepEqual(await jobsOf(own, `http://127.0.0.1:${port}`), expected, said);
    assert.doesNotMatch(said, /violation/i);
  });
});
