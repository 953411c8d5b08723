// The page "PostgreSQL with four roles: the files", followed to the letter as far as it goes without systemd:
// its roles, its files, its commands and what its units run, in folders of the test.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ENVIRONMENT } from '../kit/environment.ts';
import { freePort } from '../kit/free-port.ts';
import { PostgresServer, query, urlWith } from '../kit/postgres-server.ts';
import { endOf, MAIN, type Running, startProgram, stopProgram } from '../kit/program.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGE = readFileSync(join(ROOT, 'docs/how-to/run-on-postgresql-with-systemd.md'), 'utf8');
const PORTS = ['8081', '9464', '9465', '9466'];
const NUMBERS = `account_id,id,did,status,frequency,subscription_status,created_at
acme,1,+442079460001,active,monthly,active,2026-01-01T00:00:00Z
acme,2,+442079460002,active,monthly,active,2026-01-01T00:00:00Z
`;
const SERVICES = 'account_id,id,title,frequency,subscription_status\nacme,1,Fax,monthly,active\n';

const blockWith = (start: string) => {
  const block = [...PAGE.matchAll(/^```\w+\n(.*?)^```$/gms)].find(([, text = '']) => text.startsWith(start));
  assert.ok(block, `no block begins with ${start}`);
  return block[1] as string;
};

describe('PostgreSQL with four roles', () => {
  const folder = temporaryFolder();
  const suffix = randomBytes(4).toString('hex');
  const running: Running[] = [];
  let superuser: string;
  let here: (text: string) => string;

  /** The variables of a file of the page, as systemd reads it. */
  const environmentOf = (path: string): Record<string, string> => {
    const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
    return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
  };

  /** The commands that a unit runs, each with the variables that it has. */
  const commandsOf = (unit: string) => {
    const text = here(readFileSync(join(ROOT, 'deploy', `${unit}.service`), 'utf8'));
    const [, path = ''] = /^EnvironmentFile=-(.*)$/m.exec(text) ?? [];
    const env = environmentOf(path.replace('%p', unit));
    return [...text.matchAll(/^ExecStart=\/usr\/bin\/env linecard-server (.*)$/gm)].map(([, words = '']) => ({
      words: words.replace(/\$\{CREDENTIALS_DIRECTORY\}/, join(folder, 'etc/linecard')).split(' '),
      env,
    }));
  };

  const start = (unit: string, says: RegExp, ...others: string[]) => {
    const [{ words, env } = { words: [], env: {} }] = commandsOf(unit);
    const started = startProgram([...words, ...others], { env });
    running.push(started);
    return started.says(says);
  };

  /** Runs a block of the page, as the user of the test. */
  const shell = (block: string): string => {
    const text = here(block).replace(/^sudo sh -c '(.*)'$/ms, '$1');
    const env = { ...ENVIRONMENT, PATH: `${join(folder, 'bin')}:${process.env['PATH']}` };
    const ended = spawnSync('sh', ['-euc', text], { env, encoding: 'utf8' });
    assert.equal(ended.status, 0, ended.stderr);
    return ended.stderr;
  };

  before(async () => {
    superuser = (await PostgresServer.shared()).url;
    const ports = Object.fromEntries(await Promise.all(PORTS.map(async (port) => [port, await freePort()])));
    here = (text) =>
      text
        .replaceAll(/\blinecard_(owner|serving|intake|deliver)\b/g, `$&_${suffix}`)
        .replaceAll('db.example/linecard', `${new URL(superuser).host}/linecard_${suffix}`)
        .replaceAll('database linecard owner', `database linecard_${suffix} owner`)
        .replaceAll(/(?<![\w/])\/(?=(?:etc|run|var\/lib)\/linecard)/g, `${folder}/`)
        .replaceAll(/\b(?:8081|946[456])\b/g, (port) => String(ports[port]));
    for (const path of ['bin', 'etc/linecard', 'run/linecard', 'var/lib/linecard/nightly'])
      mkdirSync(join(folder, path), { recursive: true });
    const program = `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`;
    writeFileSync(join(folder, 'bin/linecard-server'), program, { mode: 0o755 });
    writeFileSync(join(folder, 'etc/linecard/linecard.json'), here(blockWith('{ "socket"')));
    for (const [, path = '', variable = ''] of PAGE.matchAll(
      /^\| `(\/etc\/linecard\/\S+\.env)` \| `(.*)` \|$/gm,
    )) {
      mkdirSync(dirname(here(path)), { recursive: true });
      writeFileSync(here(path), `${here(variable)}\n`);
    }
    writeFileSync(join(folder, 'var/lib/linecard/nightly/virtual-numbers.csv'), NUMBERS);
    writeFileSync(join(folder, 'var/lib/linecard/nightly/additional-services.csv'), SERVICES);
  });
  after(async () => {
    for (const one of running) await stopProgram(one);
    await query(superuser, `drop database if exists linecard_${suffix} with (force)`);
    for (const role of ['owner', 'serving', 'intake', 'deliver'])
      await query(superuser, `drop role if exists linecard_${role}_${suffix}`);
  });

  test('ends in services, a nightly feed with its run, webhooks, and metrics of every process', async () => {
    const [, sql = ''] = /<<'SQL'\n(.*)SQL\n/s.exec(blockWith('sudo -u postgres psql')) ?? [];
    for (const statement of here(sql).split(';\n').filter(Boolean)) await query(superuser, statement);
    shell(blockWith("sudo sh -c 'umask 077"));
    const migrated = shell(blockWith("sudo sh -c 'set -a"));
    for (const may of ['serving', 'intake', 'deliver'])
      assert.match(migrated, new RegExp(`The role linecard_${may}_${suffix} may `));

    for (const { words, env } of commandsOf('linecard-import')) {
      const imported = startProgram(words, { env, input: '' });
      assert.equal(await endOf(imported), 0, imported.said.all);
    }
    await start('linecard', /Linecard answers at/);
    // Its port is the default, which another program may have here.
    await start('linecard-intake', /takes imports at/, '--port', here('8081'));
    await start('linecard-deliver', /Webhooks are delivered/);

    const owner = environmentOf(here('/etc/linecard/linecard-import.env'));
    const asOwner = async (...words: string[]) => {
      const ended = await startProgram(words, { env: owner, input: '' }).ended;
      assert.equal(ended.status, 0, ended.err);
      return ended.out;
    };
    const runs = JSON.parse(await asOwner('import', 'runs', '--json')) as { feed: string; outcome: string }[];
    assert.deepEqual(
      runs.map(({ feed }) => feed),
      ['nightly', 'nightly'],
    );
    const token = (
      await asOwner('token', 'create', '--operator', '--may', 'webhooks', '--name', 'page')
    ).trim();
    const created = await fetch(here('http://127.0.0.1:8081/intake/v1/webhooks'), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ account_id: 'acme', url: 'https://crm.example.com/' }),
    });
    assert.equal(created.status, 201, await created.text());
    for (const port of ['9464', '9465', '9466'])
      await until(`metrics at ${port}`, async () =>
        (await (await fetch(here(`http://127.0.0.1:${port}/metrics`))).text()).includes(
          'process_cpu_seconds_total',
        ),
      );
    const intake = await (await fetch(here('http://127.0.0.1:9466/metrics'))).text();
    assert.match(intake, /^linecard_build_info\{.*database="postgres.*\} 1$/m);
    assert.match(intake, /^http_server_request_duration_seconds_count\{.*webhooks.*\} 1$/m);
  });

  test('has a file of settings for each unit that it names, and a folder for what it imports', () => {
    const units = new Set(
      [...PAGE.matchAll(/\(\.\.\/\.\.\/deploy\/([\w-]+)@?\.service\)/g)].map(([, unit]) => String(unit)),
    );
    units.delete('linecard-backup');
    assert.ok(units.size >= 5);
    for (const unit of units) assert.ok(PAGE.includes(`| \`/etc/linecard/${unit}.env\` |`), unit);
    const [, folders = ''] = /install --directory (.*\/nightly)/.exec(PAGE) ?? [];
    assert.match(folders, /--owner linecard /);
  });

  test('gives no role the password of another, nor a table that is not its own', async () => {
    const { LINECARD_DATABASE_URL: serving = '' } = environmentOf(here('/etc/linecard/linecard.env'));
    await assert.rejects(query(serving, 'delete from virtual_numbers'), /permission denied/);
    const { LINECARD_DATABASE_URL: intake = '' } = environmentOf(here('/etc/linecard/linecard-intake.env'));
    await assert.rejects(query(intake, 'select hash from tokens'), /permission denied/);
    await assert.rejects(
      query(urlWith(serving, { password: 'owner-password' }), 'select 1'),
      /authentication/,
    );
  });

  test('writes JSON from the first line of every process to the last', async () => {
    const ended = await Promise.all(running.map((one) => stopProgram(one)));
    assert.equal(ended.length, 3);
    for (const { status, err } of ended) {
      assert.equal(status, 0);
      for (const line of err.trim().split('\n')) assert.equal(typeof JSON.parse(line).level, 'number', line);
    }
  });
});
