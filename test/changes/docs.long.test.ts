// What docs/how-to/keep-a-copy.md shows runs as it is: each program makes a copy, and updates it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, mock, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Feed } from '../kit/changes-feed.ts';
import { installCommand, mustCompile, programFolder } from '../kit/client-programs.ts';
import { number } from '../kit/customer.ts';
import { ENVIRONMENT } from '../kit/environment.ts';
import { Faulty } from '../kit/faulty.ts';
import { PostgresServer, query } from '../kit/postgres-server.ts';
import { heard } from '../kit/program.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(ROOT, 'docs', 'how-to', 'keep-a-copy.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code);

const programs = blocks('ts');
const lists = [
  [501, 502, 503].map((id) => number(id, `+4420794${id}`)),
  [502, 503, 504].map((id) => number(id, `+4420794${id}`, { comment: `${id % 2}`, is_spammed: id === 503 })),
];

describe('docs/how-to/keep-a-copy.md', () => {
  let feed: Feed;
  const folder = programFolder('@types', 'pg');
  let database: Awaited<ReturnType<PostgresServer['makeDatabase']>>;
  const server = new Faulty();

  before(async () => {
    feed = await Feed.open();
    await server.open();
    server.answers(feed.answer);
    database = await (await PostgresServer.shared()).makeDatabase();
    for (const [i, program] of programs.entries()) {
      const code = program
        .replaceAll("env.LINECARD_URL ?? ''", JSON.stringify(server.url))
        .replaceAll("env.LINECARD_TOKEN ?? ''", JSON.stringify(feed.token))
        .replaceAll("'postgres://localhost/crm'", JSON.stringify(database.url));
      writeFileSync(join(folder, `program-${i}.ts`), `${code}\nexport {};\n`);
    }
  });
  after(async () => {
    server.close();
    await feed.close();
    await database.remove();
  });

  /** All of the list, as an export has it. */
  async function listed(): Promise<unknown[]> {
    const headers = { authorization: `Bearer ${feed.token}`, accept: 'application/x-ndjson' };
    const text = await (await fetch(`${server.url}/api/v1/did/me`, { headers })).text();
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown);
  }

  /** Runs a program, and gives what it says. */
  async function runs(name: string, times: number): Promise<string> {
    const i = programs.findIndex((program) => program.includes(name));
    const said: unknown[] = [];
    const log = mock.method(console, 'log', (line: unknown) => said.push(line));
    try {
      await import(`${pathToFileURL(join(folder, `program-${i}.ts`)).href}?${times}`);
    } finally {
      log.mock.restore();
    }
    return said.join('\n');
  }

  test('its programs compile', () => mustCompile(folder));

  test('the program with PostgreSQL makes a copy and brings it up to date', async () => {
    for (const [i, rows] of lists.entries()) {
      await feed.set(rows);
      const said = await runs("from 'pg'", i);
      assert.match(said, /^\d changes; the copy is the list: 3 virtual numbers\.$/);
      const copy = await query(database.url, 'select item from virtual_numbers order by id');
      assert.deepEqual(
        copy.map(({ item }) => item),
        await listed(),
      );
    }
  });

  test('the program in memory holds the list, and the one that waits says when to sync', async () => {
    assert.equal(await runs('new Map', 0), '3 virtual numbers, as they are now.');
    assert.equal(await runs('sync now', 0), 'Something may have changed: sync now.');
  });

  test('the program in memory runs as it is printed, in a folder with nothing but the client', async () => {
    const empty = temporaryFolder();
    mkdirSync(join(empty, 'node_modules', '@linecard'), { recursive: true });
    symlinkSync(join(ROOT, 'api'), join(empty, 'node_modules', '@linecard', 'client'));
    writeFileSync(
      join(empty, 'copy.mts'),
      programs.find((program) => program.includes('new Map')) ?? assert.fail(),
    );
    const env = { ...ENVIRONMENT, LINECARD_URL: server.url, LINECARD_TOKEN: feed.token };
    const child = spawn(process.execPath, ['copy.mts'], { cwd: empty, env });
    const out = '3 virtual numbers, as they are now.\n';
    assert.deepEqual(await heard(child).ended, { status: 0, signal: null, out, err: '' });
  });

  test('its commands keep a copy in a file', async () => {
    installCommand(folder);
    const env = {
      PATH: `${folder}:${process.env['PATH']}`,
      HOME: folder,
      LINECARD_URL: server.url,
      LINECARD_TOKEN: feed.token,
    };
    const commands = blocks('sh').flatMap((block) => block.trim().split('\n'));
    for (const command of commands.filter((line) => !line.includes('--watch'))) {
      // The shell of SQLite is not on every machine.
      const [, name, query] = /^sqlite3 (\S+) "(.+)"$/.exec(command) ?? [];
      if (name !== undefined && query !== undefined) {
        const database = new DatabaseSync(join(folder, name));
        assert.deepEqual(Object.values(database.prepare(query).get() ?? {}), ['+4420794503', 2.25]);
        database.close();
        continue;
      }
      const { status, out, err } = await heard(spawn('bash', ['-c', command], { cwd: folder, env })).ended;
      assert.equal(status, 0, err);
      assert.match(out + err, command.includes(' sync ') ? /all of them read\.$/m : /^$/);
    }
    const end = readFileSync(join(folder, 'numbers.ndjson'), 'utf8').trim().split('\n').at(-1) ?? '';
    const shown = blocks('json').map((line) => Object.keys(JSON.parse(line) as object));
    assert.deepEqual(shown, [Object.keys(JSON.parse(end) as object)]);
  });
});
