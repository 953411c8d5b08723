// `doctor` finds what is wrong, says how to fix it, and finds nothing where all is well.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fs, { chmodSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { proxyFinding } from '../../server/commands/doctor.ts';
import {
  diskFinding,
  type Finding,
  fileFindings,
  replicaFindings,
  serverFindings,
  settingsFindings,
} from '../../server/commands/doctor-checks.ts';
import {
  accountFindings,
  endingFindings,
  importFindings,
  logFindings,
} from '../../server/commands/doctor-imports.ts';
import { settings } from '../../server/settings/settings.ts';
import { createAccount, disableAccount, enableAccount } from '../../server/store/access/accounts.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { recordImport } from '../../server/store/log/audit.ts';
import { openStore } from '../../server/store/open.ts';
import { grantRights } from '../../server/store/postgres/rights.ts';
import { tokensPath } from '../../server/store/sqlite/tokens-file.ts';
import type { Store } from '../../server/store/store.ts';
import { PostgresServer, query, urlWith } from '../kit/postgres-server.ts';
import { runProgram } from '../kit/program.ts';
import { databaseOf, stores } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const DAY = 86_400_000;
const COUNTS = {
  rows: 7,
  left_out: 0,
  inserted: 7,
  updated: 0,
  moved: 0,
  unchanged: 0,
  removed: 0,
  accounts_created: 0,
};
const IMPORT = {
  ...COUNTS,
  list: 'virtual_numbers',
  origin: 'command',
  actor: 'a@b',
  source: 'f',
  mode: 'insert',
  changed: {},
} as const;

const statusOf = (found: readonly Finding[], check: string) =>
  found.filter((one) => one.check === check).map(({ status }) => status);

/** Whatever is not well says what to do. */
function mustMend(found: readonly Finding[]): void {
  for (const { status, mend, says } of found) if (status !== 'ok') assert.ok(mend, says);
}

const usual = {
  host: settings.host.default,
  port: settings.port.default,
  socket: undefined,
  tls_cert: undefined,
  tls_key: undefined,
  trust_proxy: [],
  metrics_host: '127.0.0.1',
  metrics_port: undefined,
  demo: false,
  rate_limit: 600,
  brand_name: undefined,
  brand_logo: undefined,
  brand_logo_dark: undefined,
  brand_color: undefined,
  support_url: undefined,
};

describe('doctor', { concurrency: 2 }, () => {
  const folder = temporaryFolder();
  const run = (words: readonly string[], env: Record<string, string> = {}) =>
    runProgram(words, { cwd: folder, env });

  test('says that nothing is wrong where all is well, and exits 0', async () => {
    const words = ['--database-url', 'sqlite:well.db'];
    await run(['migrate', ...words]);
    chmodSync(join(folder, 'well.db'), 0o600);
    const { status, out, err } = await run(['doctor', ...words]);
    assert.deepEqual([status, err], [0, ''], out);
    assert.match(out, /^ok +database +sqlite:well\.db is open\.$/m);
    assert.doesNotMatch(out, /^wrong/m);
  });

  test('says what is wrong, and how to fix it, and exits 1', async () => {
    const words = ['doctor', '--json', '--database-url', 'sqlite:missing.db', '--tls-cert', 'cert.pem'];
    const { status, out, err } = await run(words, { LINECARD_PROT: '80' });
    assert.equal(status, 1);
    assert.match(err, /3 things are wrong\.\n$/);
    const { ok, findings } = JSON.parse(out) as { ok: boolean; findings: Finding[] };
    assert.equal(ok, false);
    mustMend(findings);
    assert.deepEqual(statusOf(findings, 'settings'), ['wrong', 'wrong']);
    const [database] = findings.filter(({ check }) => check === 'database');
    assert.match(`${database?.says} ${database?.mend}`, /no database at missing\.db.*--create/);
  });

  test('a server that cannot be reached, and no password of its URL', async () => {
    const { status, out } = await run(['doctor', '--database-url', 'postgres://u:secret@127.0.0.1:1/x']);
    assert.equal(status, 1);
    assert.match(out, /^wrong +database +The database cannot be reached/m);
    assert.doesNotMatch(out, /secret/);
    const several = await run(['doctor', '--database-url', 'postgres://u:secret@127.0.0.1:1,127.0.0.1:2/x']);
    assert.match(several.out, /^wrong +database +The database URL names several hosts/m);
    assert.doesNotMatch(several.out, /secret/);
  });

  test('settings that go beyond this machine in clear text are worth a word, and fixed ones are not', () => {
    const found = settingsFindings({ ...usual, host: '0.0.0.0' });
    assert.deepEqual(statusOf(found, 'settings'), ['advice']);
    mustMend(found);
    assert.deepEqual(
      statusOf(settingsFindings({ ...usual, host: '0.0.0.0', trust_proxy: ['10.0.0.1'] }), 'settings'),
      ['ok'],
    );
  });

  test('which proxies are trusted, and what follows where none is', async () => {
    const says = async (given: object) => (await proxyFinding({ ...usual, ...given })).says;
    assert.match(await says({}), /^No proxy is trusted: .* one address until --trust-proxy names it\.$/);
    assert.match(await says({ metrics_port: 1 }), /^No proxy is trusted: .* names it\.$/);
    assert.match(await says({ trust_proxy: ['10.0.0.0/8'] }), /trusted from 10\.0\.0\.0\/8\.$/);
    assert.match(await says({ socket: 'linecard.sock' }), /trusted from who uses the socket\.$/);
  });

  test('a file that others may read, and a disk with room', async () => {
    const path = join(folder, 'rights.db');
    await (await openStore(`sqlite:${path}`, 'write')).close();
    chmodSync(path, 0o644);
    const open = fileFindings(`sqlite:${path}`);
    assert.deepEqual([statusOf(open, 'rights'), statusOf(open, 'disk')], [['advice'], ['ok']]);
    chmodSync(path, 0o600);
    assert.deepEqual(statusOf(fileFindings(`sqlite:${path}`), 'rights'), ['ok']);
    // The tokens have a file of their own.
    chmodSync(tokensPath(path), 0o640);
    assert.match(fileFindings(`sqlite:${path}`)[0]?.says ?? '', /may read .*rights\.db-tokens\.$/);
  });

  test('what may not be written, by name, and a file system that is mounted read-only', async (t) => {
    const path = join(folder, 'mounted.db');
    await (await openStore(`sqlite:${path}`, 'write')).close();
    let code = 'EROFS';
    t.mock.method(fs, 'accessSync', (place: string) => {
      if (place !== tokensPath(path)) throw Object.assign(new Error(code), { code });
    });
    syncBuiltinESMExports();
    t.after(() => {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    });
    const [mounted] = fileFindings(`sqlite:${path}`);
    assert.deepEqual(
      [mounted?.status, mounted?.says],
      ['wrong', `This user may not write to ${path} and ${folder}.`],
    );
    assert.match(mounted?.mend ?? '', /is mounted read-only: mount it for writing\.$/);
    code = 'EACCES';
    assert.match(fileFindings(`sqlite:${path}`)[0]?.mend ?? '', /^Run it as the user that owns /);
  });

  test('a disk by its folder: too small for the next import, low, or large enough', () => {
    const MIB = 1_048_576;
    const disk = (free: number, used: number) =>
      diskFinding('/data', { free: free * MIB, size: 1_000 * MIB, used: used * MIB });
    assert.deepEqual(disk(40, 41).status, 'wrong');
    assert.deepEqual(disk(49, 41).status, 'advice');
    assert.deepEqual(disk(500, 41).status, 'ok');
    assert.equal(disk(49, 41).says, '49 MiB are free on the disk of /data, and the database takes 41 MiB.');
  });

  test('a folder in the place of the database, whose rights are right for one', async () => {
    const { status, out } = await run(['doctor', '--database-url', `sqlite:${folder}`]);
    assert.equal(status, 1);
    assert.match(out, /^wrong +database .* is a folder\.\n +Name a file in it with --database-url\.$/m);
    assert.doesNotMatch(out, /chmod/);
  });

  test('a replica that is out of rotation', () => {
    const found = replicaFindings([{ replica: 'a/x' }, { replica: 'b/x', reason: 'It lags.' }]);
    assert.deepEqual(statusOf(found, 'replica'), ['ok', 'wrong']);
    assert.match(found[1]?.says ?? '', /b\/x: It lags/);
  });
});

for (const kind of stores) {
  test(`doctor finds imports that are missing, old or to come, on ${kind.name}`, async () => {
    const database = await databaseOf(kind);
    const store: Store = await openStore(database.url, 'write');
    const statuses = async (maxMs: number) =>
      (await importFindings(store, maxMs)).map(({ check, status }) => `${check} ${status}`);
    assert.deepEqual(await statuses(DAY), ['imports advice', 'imports advice']);
    await store.write(...recordImport(IMPORT));
    assert.deepEqual(await statuses(DAY), ['imports ok', 'imports advice']);
    const setTo = (at: string) =>
      store.write({ text: `update imports set finished_at = '${at}'`, values: [] });
    await setTo('2026-01-01T00:00:00.000000Z');
    assert.deepEqual(await statuses(DAY), ['imports wrong', 'imports advice']);
    await setTo('2126-01-01T00:00:00.000000Z');
    assert.deepEqual(await statuses(DAY), ['clock wrong', 'imports advice']);
    mustMend(await importFindings(store, DAY));
    await store.close();
    await database.remove();
  });

  test(`doctor finds a log of changes that is out of proportion, on ${kind.name}`, async () => {
    const database = await databaseOf(kind);
    const store: Store = await openStore(database.url, 'write');
    const put = (text: string) => store.write({ text, values: [] });
    await createAccount(store, 'acme');
    await put(
      `insert into change_logs (account_id, list, entries) values ('acme', 'virtual_numbers', 924000)`,
    );
    await put('update accounts set virtual_numbers = 300000');
    const found = await logFindings(store);
    assert.deepEqual(
      found.map(({ status }) => status),
      ['advice', 'ok'],
    );
    assert.match(found[0]?.says ?? '', /virtual_numbers has 924,000 entries, for 300,000 items/);
    mustMend(found);
    await put('update change_logs set entries = 300000');
    assert.deepEqual(statusOf(await logFindings(store), 'changes'), ['ok', 'ok']);
    await store.close();
    await database.remove();
  });

  test(`doctor finds an account that was disabled in part, on ${kind.name}`, async () => {
    const database = await databaseOf(kind);
    const store: Store = await openStore(database.url, 'write');
    for (const id of ['acme', "o'neil", 'other']) {
      await createAccount(store, id);
      await createToken(store, id, 'one');
      await createToken(store, id, 'two');
    }
    await disableAccount(store, 'other');
    assert.deepEqual(await accountFindings(store), []);
    await disableAccount(store, "o'neil");
    // As where the command was killed while it waited for an import.
    await store.write({ text: `update accounts set disabled_at = null where id = 'o''neil'`, values: [] });
    const found = await accountFindings(store);
    assert.deepEqual(statusOf(found, 'accounts'), ['advice']);
    assert.match(found[0]?.mend ?? '', /account enable 'o'\\''neil'\.$/);
    await enableAccount(store, "o'neil");
    assert.deepEqual(await accountFindings(store), []);
    await store.close();
    await database.remove();
  });
}

test('doctor finds rights that a serving role lacks, and those that it has too many', async () => {
  const database = await (await PostgresServer.shared()).makeDatabase('icu');
  const role = `linecard_doctor_${randomBytes(4).toString('hex')}`;
  await (await openStore(database.url, 'write')).close();
  const findings = async (url: string) => {
    const store = await openStore(url, 'read');
    try {
      return await serverFindings(store);
    } finally {
      await store.close();
    }
  };
  const ofOwner = await findings(database.url);
  assert.deepEqual([statusOf(ofOwner, 'rights'), statusOf(ofOwner, 'clock')], [['advice'], ['ok']]);
  await query(database.url, `create role ${role} login password 'serving'`);
  assert.deepEqual((await grantRights(database.url, {}, role, 'serving')).missing, []);
  const url = urlWith(database.url, { user: role, password: 'serving' });
  assert.deepEqual(statusOf(await findings(url), 'rights'), ['ok']);
  await query(database.url, `revoke insert on token_events from ${role}`);
  const lacking = await findings(url);
  assert.deepEqual(statusOf(lacking, 'rights'), ['wrong']);
  assert.match(lacking.map(({ says }) => says).join(), /lacks insert on token_events/);
  mustMend([...ofOwner, ...lacking]);
  await query(database.url, `drop owned by ${role}`);
  await query(database.url, `drop role ${role}`);
  await database.remove();
});

for (const kind of stores) {
  test(`tokens that end within 14 days are counted, on ${kind.name}`, async () => {
    const database = await databaseOf(kind);
    const store = await openStore(database.url, 'write');
    try {
      await createAccount(store, 'acme');
      await createToken(store, 'acme', 'never');
      await createToken(store, 'acme', 'later', Date.now() + 15 * DAY);
      assert.deepEqual(await endingFindings(store), []);
      await createToken(store, 'acme', 'soon', Date.now() + 13 * DAY);
      const found = await endingFindings(store);
      assert.deepEqual(
        found.map(({ status, says }) => [status, says]),
        [['advice', '1 token of customers ends within 14 days.']],
      );
      mustMend(found);
    } finally {
      await store.close();
      await database.remove();
    }
  });
}
