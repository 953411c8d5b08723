// `linecard-server` as an operator meets it: a child process with its help, its exit status, what it prints
// where, its environment, and how it ends.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { groups } from '../../server/commands/commands.ts';
import { isOption, optionOf, parameters, variableOf } from '../../server/settings/config.ts';
import { options } from '../../server/settings/options.ts';
import { ENVIRONMENT } from '../kit/environment.ts';
import { virtual_numbers } from '../kit/model.ts';
import { isNonBlocking } from '../kit/process-facts.ts';
import {
  killPrograms,
  MAIN,
  mustRun,
  runProgram,
  serveProgram,
  startProgram,
  statusOf,
} from '../kit/program.ts';
import { ndjson, numberRow } from '../kit/rows.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

const TOKEN = /^lc_[0-9A-Za-z]{42}$/;

/** The words of a command as they are typed. */
const everyCommand = groups.flatMap(({ name, commands }) =>
  commands.map((command, place) => ({
    isFirst: place === 0,
    words: [name, ...command.words.replace(/ [<[].*/, '').split(' ')].filter((word) => word !== ''),
    command,
  })),
);

describe('linecard-server', { concurrency: 2 }, () => {
  const folder = temporaryFolder();
  after(killPrograms);

  const run = (words: readonly string[], env: Record<string, string> = {}) =>
    runProgram(words, { cwd: folder, env });
  const mustDo = (words: readonly string[], env: Record<string, string> = {}) =>
    mustRun(words, { cwd: folder, env });
  const databaseAt = (name: string) => ({ LINECARD_DATABASE_URL: `sqlite:${join(folder, name)}` });

  test('prints and returns the same in a process of its own as together with other runs', async () => {
    const env = databaseAt('alone.db');
    for (const words of [['account', 'list'], ['account', 'crate'], ['token', 'create'], ['--version']])
      assert.deepEqual(await runProgram(words, { cwd: folder, env, isAlone: true }), await run(words, env));
  });

  describe('explains its commands and options', { concurrency: 2 }, () => {
    test('a reader that has read enough, such as head, is no fault', async () => {
      const { child, ended } = startProgram(['serve', '--help'], { cwd: folder });
      child.stdout.destroy();
      assert.deepEqual(await ended, { status: 0, signal: null, out: '', err: '' });
    });

    test('--help names every command, on standard output', async () => {
      const { out, err } = await mustDo(['--help']);
      for (const { words } of everyCommand) assert.ok(out.includes(String(words[0])), words.join(' '));
      assert.equal(err, '');
    });

    // One of each group: all are made by the same table.
    for (const { words, command } of everyCommand.filter(({ isFirst }) => isFirst)) {
      test(`${words.join(' ')} --help names its options, their variables and their defaults`, async () => {
        const { out, err } = await mustDo([...words, '--help']);
        assert.equal(err, '');
        const text = out.replace(/\s+/g, ' ');
        for (const name of command.takes) {
          assert.ok(text.includes(optionOf(name)), optionOf(name));
          assert.equal(text.includes(`(${variableOf(name)}`), !isOption(name), variableOf(name));
          const { default: fallback } = parameters[name];
          if (typeof fallback === 'number' || typeof fallback === 'string')
            assert.ok(text.includes(String(fallback)));
        }
        for (const example of command.examples ?? []) assert.ok(out.includes(example), example);
      });
    }

    test('--version is a version, with the commit if it is known, alone', async () => {
      assert.match(
        (await mustDo(['--version'])).out,
        /^\d+\.\d+\.\d+(?:[-+]\S+)?(?: \([0-9a-f]{7,40}\))?\n$/,
      );
    });
  });

  describe('wrong usage is reported on standard error, with exit status 2', { concurrency: 2 }, () => {
    const wrong: readonly [words: string[], says: RegExp, environment?: Record<string, string>][] = [
      [['sevre'], /sevre/],
      [['account', 'crate', 'x'], /crate/],
      [['serve', '--prot', '80'], /--prot/],
      [['serve', '--port', 'eighty'], /--port.*"eighty"/],
      [['serve'], /LINECARD_PORT.*"x"/, { LINECARD_PORT: 'x' }],
      [['account', 'create', 'x'.repeat(101)], /1 to 100.*101/],
      [['token', 'create'], /--account/],
      [
        ['token', 'create', 'ACME'],
        /too many arguments.+\n.+\nA value follows its option, such as --account harbour-dental\.$/m,
      ],
      [
        ['token', 'list', 'ACME'],
        /too many arguments.+\n.+\nA value follows its option, such as --account harbour-dental\.$/m,
      ],
      [
        ['token', 'create', '--account', 'x', '--lists', 'numbers'],
        /--lists must be one or more of virtual-numbers, additional-services, but was "numbers"/,
      ],
      [
        ['token', 'create', '--account', 'x', '--reach', 'far'],
        /--reach must be one of account, tree, but was "far"/,
      ],
      [['token', 'create', '--account', 'x', '--from', '10.1.2.3/8'], /write 10\.0\.0\.0\/8/],
      [
        ['token', 'create', '--account', 'x', '--from', '0.0.0.0/0'],
        /--from 0\.0\.0\.0\/0 is every address: leave it out/,
      ],
      [
        [
          'token',
          'create',
          '--account',
          'x',
          ...Array.from({ length: 21 }, (_, i) => ['--from', `10.${i}.0.0/16`]).flat(),
        ],
        /--from may name at most 20 networks, but names 21/,
      ],
      [
        ['token', 'create', '--operator', '--without-charges', '--reach', 'tree'],
        /An operator token reads the accounts that --account names, or all: leave out --reach/,
      ],
      [
        ['token', 'create', '--account', 'x', '--may', 'import'],
        /Only an operator token has --may: add --operator/,
      ],
      [
        ['token', 'create', '--operator', '--may', 'everything'],
        /--may must be one or more of import, sign-in, webhooks, accounts, tokens, fields, audit/,
      ],
      [['token', 'revoke'], /token_id/],
      [
        ['token', 'revoke', 'x', '--account', 'y'],
        /Specify one of token_id, --account ID, and --accounts FILE/,
      ],
      [['account', 'create', 'x', '--currency', 'euro'], /--currency.*ISO 4217.*"euro"/],
      [['account', 'update', 'x'], /--name NAME, --currency CODE/],
      [['import', 'virtual-numbers'], /file/],
      [['import', 'virtual-numbers', 'x', '--watch', 'y'], /unknown option '--watch'\n(?!.*Did you mean)/],
      [['import', 'virtual-numbers', 'x', '--replce'], /Did you mean --replace\?/],
      [['serve', '--database-url', 'nope.db'], /^linecard-server: --database-url must be sqlite:PATH or/],
      [['account', 'list', '--database-url', 'mysql://u:secret@x'], /must be sqlite:PATH or [^,]*$/],
      [['serve', '--tls-cert', 'x'], /^linecard-server: TLS needs both/],
      [['serve', '--metrics-port', '8080', '--host', '0.0.0.0'], /need a separate port.*both 8080/],
    ];
    for (const [words, says, environment] of wrong) {
      test([...Object.values(environment ?? {}), ...words].join(' ').slice(0, 60), async () => {
        const name = `wrong-${wrong.findIndex(([one]) => one === words)}.db`;
        const { status, out, err } = await run(words, { ...databaseAt(name), ...environment });
        assert.equal(status, 2, err);
        assert.equal(out, '');
        assert.match(err, says);
        assert.doesNotMatch(err, /^\s+at /m);
        assert.equal(existsSync(join(folder, name)), false, 'a database was made');
      });
    }
  });

  test('what creates a database says where, as the path may be mistyped', async () => {
    const path = join(folder, 'mistyped', 'linecard.db');
    const there = databaseAt('mistyped/linecard.db');
    const rows = join(folder, 'rows.ndjson');
    writeFileSync(rows, ndjson([numberRow('C1', 1)]));
    const create = ['import', 'virtual-numbers', rows];
    const first = await mustDo(create, there);
    assert.ok(
      first.err.startsWith(`A new database was created: ${path}\n7 of 19 columns: account_id, id,`),
      first.err,
    );
    assert.doesNotMatch((await mustDo(create, there)).err, /new database/);
    for (const words of [['migrate'], ['account', 'create', 'acme']]) {
      const other = join(folder, `${words[0]}-new.db`);
      const { err } = await mustDo(words, { LINECARD_DATABASE_URL: `sqlite:${other}` });
      assert.ok(err.startsWith(`A new database was created: ${other}\n`), err);
    }
  });

  test('what is refused leaves no database that it created, and says of none', async () => {
    const [folderPath, rows] = [join(folder, 'refused'), join(folder, 'refused.csv')];
    const path = join(folderPath, 'linecard.db');
    writeFileSync(rows, 'account_id,id\nC1,\n');
    for (const words of [
      ['import', 'virtual-numbers', rows],
      ['import', 'virtual-numbers', join(folder, 'no-such.csv')],
      ['account', 'create', 'acme', '--parent', 'unknown'],
    ]) {
      const { status, err } = await run(words, databaseAt('refused/linecard.db'));
      assert.equal(status, 1, err);
      assert.doesNotMatch(err, /A new database/);
      assert.equal(existsSync(folderPath), false, words.join(' '));
    }
    // One that was there, or that has other files next to it, stays.
    await mustDo(['migrate'], databaseAt('refused/linecard.db'));
    writeFileSync(join(folderPath, 'note.txt'), '');
    assert.equal(
      (await run(['import', 'virtual-numbers', rows], databaseAt('refused/linecard.db'))).status,
      1,
    );
    assert.equal(existsSync(path), true);
    assert.equal((await run(['import', 'virtual-numbers', rows], databaseAt('refused/other.db'))).status, 1);
    assert.deepEqual(readdirSync(folderPath).toSorted(), [
      'linecard.db',
      'linecard.db-reserve',
      'linecard.db-tokens',
      'note.txt',
    ]);
  });

  test('accounts and tokens: results on standard output, messages on standard error', async () => {
    const here = databaseAt('accounts.db');
    const made = await mustDo(['account', 'create', "o'brien & sons", '--name', "O'Brien"], here);
    assert.equal(made.out, '');
    assert.match(made.err, /o'brien & sons/);
    await mustDo(['account', 'create', 'ärzte'], here);

    const again = await run(['account', 'create', 'ärzte'], here);
    assert.deepEqual([again.status, again.out], [1, '']);
    assert.match(again.err, /ärzte already exists/);

    const listed = await mustDo(['account', 'list'], here);
    assert.deepEqual(
      listed.out.split('\n').map((line) => line.split(/ {2,}/)[0]),
      ['ID', "o'brien & sons", 'ärzte', ''],
    );
    const asJson = await mustDo(['account', 'list', '--json'], here);
    const accounts = JSON.parse(asJson.out);
    assert.deepEqual(
      accounts.map(({ id, name }: Record<string, unknown>) => [id, name]),
      [
        ["o'brien & sons", "O'Brien"],
        ['ärzte', ''],
      ],
    );
    assert.match(accounts[0].created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);

    const token = await mustDo(
      ['token', 'create', '--account', 'ärzte', '--name', 'phone book', '--expires-in', '90d'],
      here,
    );
    assert.match(token.out, /^lc_[0-9A-Za-z]{42}\n$/);
    assert.equal(token.err.includes(token.out.trim()), false);
    const nobody = await run(['token', 'create', '--account', 'nobody'], here);
    assert.deepEqual([nobody.status, nobody.out], [1, '']);
    assert.match(nobody.err, /no account nobody/);

    const tokens = await mustDo(['token', 'list', '--account', 'ärzte', '--json'], here);
    const [{ id, expires_at, revoked_at, last_used_at, ...rest }] = JSON.parse(tokens.out);
    assert.deepEqual(Object.keys(rest), [
      ...['account_id', 'kind'],
      ...['lists', 'charges', 'addresses', 'rate_limit', 'reach'],
      'name',
      'created_at',
    ]);
    assert.deepEqual(
      [rest.account_id, rest.name, revoked_at, last_used_at],
      ['ärzte', 'phone book', null, null],
    );
    const lasts = Temporal.Instant.from(expires_at).since(Temporal.Instant.from(rest.created_at));
    assert.equal(Math.round(lasts.total('hours')), 90 * 24);
    assert.equal(
      (await mustDo(['token', 'list', '--account', "o'brien & sons", '--json'], here)).out,
      '[]\n',
    );

    const secret = token.out.trim();
    for (const file of readdirSync(folder).filter((name) => name.startsWith('accounts.db'))) {
      assert.equal(readFileSync(join(folder, file)).includes(secret), false, `the token stands in ${file}`);
    }
    assert.equal(tokens.out.includes(secret), false);

    assert.match((await mustDo(['token', 'revoke', id], here)).err, new RegExp(`Revoked token ${id}`));
    assert.match((await mustDo(['token', 'revoke', id], here)).err, /already revoked/);
    const unknown = await run(['token', 'revoke', 'nothing'], here);
    assert.deepEqual([unknown.status, unknown.out], [1, '']);
  });

  test('a token is limited as its options say, and so is its successor', async () => {
    const here = databaseAt('limited.db');
    await mustDo(['account', 'create', 'acme'], here);
    const limited = [
      ...['--lists', 'virtual-numbers', '--without-charges', '--reach', 'tree'],
      ...['--from', '203.0.113.0/24', '--from', '2001:db8::1', '--rate-limit', '60'],
    ];
    const made = await mustDo(['token', 'create', '--account', 'acme', ...limited], here);
    const shown =
      'virtual-numbers, no charges, from 203.0.113.0/24 2001:db8::1/128, 60 requests a minute, tree';
    assert.ok(made.err.includes(`of acme (${shown}). It is shown only once`), made.err);
    const found = async () => JSON.parse((await mustDo(['token', 'list', '--json'], here)).out);
    const [{ id, ...token }] = await found();
    const limits = {
      lists: ['virtual_numbers'],
      charges: false,
      addresses: ['203.0.113.0/24', '2001:db8::1/128'],
      rate_limit: 60,
      reach: 'tree',
    };
    assert.partialDeepStrictEqual(token, limits);
    await mustDo(['token', 'rotate', id], here);
    const successor = (await found()).find((one: { id: string }) => one.id !== id);
    assert.partialDeepStrictEqual(successor, limits);
    assert.ok((await mustDo(['token', 'list'], here)).out.includes(shown));
    await mustDo(
      ['token', 'create', '--account', 'acme', '--lists', 'additional-services,virtual-numbers'],
      here,
    );
    assert.match((await mustDo(['token', 'list'], here)).out, /virtual-numbers and additional-services/);
  });

  test('accounts change, are disabled and enabled, and are deleted with what they have', async () => {
    const here = { ...databaseAt('changing.db'), LINECARD_CURRENCY: 'USD' };
    await mustDo(['account', 'create', 'acme', '--currency', 'EUR'], here);
    const found = async () => JSON.parse((await mustDo(['account', 'list', '--json'], here)).out);
    await mustDo(['account', 'update', 'acme', '--name', 'Acme'], here);
    const [named] = await found();
    assert.deepEqual([named.name, named.currency, named.disabled_at], ['Acme', 'EUR', null]);
    await mustDo(['account', 'update', 'acme', '--currency', 'none'], here);
    assert.equal((await found())[0].currency, null);
    await mustDo(['account', 'disable', 'acme'], here);
    assert.match((await found())[0].disabled_at, /^\d{4}-.*Z$/);
    await mustDo(['account', 'enable', 'acme'], here);
    assert.equal((await found())[0].disabled_at, null);

    await mustDo(['token', 'create', '--account', 'acme'], here);
    const unasked = await run(['account', 'delete', 'acme'], here);
    assert.equal(unasked.status, 2);
    assert.match(unasked.err, /add --yes/);
    const gone = await mustDo(['account', 'delete', 'acme', '--yes'], here);
    assert.match(gone.err, /acme with 0 virtual numbers, 0 additional services and 1 token\./);
    assert.deepEqual(await found(), []);
    for (const word of ['update', 'disable', 'enable', 'delete']) {
      const words = ['account', word, 'acme', ...(word === 'update' ? ['--name', 'x'] : [])];
      const { status, err } = await run([...words, ...(word === 'delete' ? ['--yes'] : [])], here);
      assert.deepEqual([status, /^linecard-server: There is no account acme\./.test(err)], [1, true], err);
    }
  });

  test('a token is rotated, and all of an account are revoked at once', async () => {
    const here = databaseAt('rotating.db');
    await mustDo(['account', 'create', 'acme'], here);
    const found = async () => JSON.parse((await mustDo(['token', 'list', '--json'], here)).out);
    await mustDo(['token', 'create', '--account', 'acme', '--name', 'phone book'], here);
    const [{ id }] = await found();
    const rotated = await mustDo(['token', 'rotate', id, '--overlap', '12h'], here);
    assert.match(rotated.out, /^lc_[0-9A-Za-z]{42}\n$/);
    const tokens = await found();
    const old = tokens.find((one: { id: string }) => one.id === id);
    const overlap = Temporal.Instant.from(old.expires_at).since(Temporal.Now.instant()).total('minutes');
    assert.ok(overlap > 715 && overlap <= 720, `${overlap}`);
    assert.ok(rotated.err.includes(`Token ${id} expires at ${old.expires_at}.`));
    assert.deepEqual(
      tokens.map(({ name }: { name: string }) => name),
      ['phone book', 'phone book'],
    );

    assert.match(
      (await mustDo(['token', 'revoke', '--account', 'acme'], here)).err,
      /Revoked 2 tokens of acme/,
    );
    const again = await run(['token', 'rotate', id], here);
    assert.deepEqual([again.status, again.out], [1, '']);
    assert.match(again.err, /no valid token/);
    const noAccount = await run(['token', 'revoke', '--account', 'nobody'], here);
    assert.deepEqual([noAccount.status, noAccount.out], [1, '']);
    assert.match(noAccount.err, /^linecard-server: There is no account nobody\. Create it/);
    const noToken = await run(['token', 'revoke', 'nothing'], here);
    assert.deepEqual([noToken.status, noToken.out], [1, '']);
    assert.match(noToken.err, /^linecard-server: There is no token nothing\. See:/);
  });

  test('a token that is not created leaves nothing behind', { skip: !existsSync('/dev/full') }, async () => {
    const nowhere = await run(['token', 'create', '--account', 'acme'], databaseAt('nowhere.db'));
    assert.deepEqual([nowhere.status, nowhere.out], [1, '']);
    assert.match(nowhere.err, /There is no database/);
    assert.equal(existsSync(join(folder, 'nowhere.db')), false);

    const here = databaseAt('undelivered.db');
    await mustDo(['account', 'create', 'acme'], here);
    await mustDo(['token', 'create', '--account', 'acme'], here);
    const before = (await mustDo(['token', 'list', '--json'], here)).out;
    const [{ id }] = JSON.parse(before);
    const env = { ...ENVIRONMENT, ...here };
    writeFileSync(join(folder, 'undelivered.csv'), 'account_id\nacme\n');
    const ofFile = `create --accounts ${join(folder, 'undelivered.csv')}`;
    for (const words of [`create --account acme`, ofFile, `rotate ${id}`]) {
      const all = [process.execPath, MAIN, 'token', ...words.split(' ')];
      // A disk that is full, and a reader that has left.
      for (const to of ['>/dev/full', '| true']) {
        const { stderr } = spawnSync('sh', ['-c', `"$0" "$@" ${to}`, ...all], { env, encoding: 'utf8' });
        assert.match(stderr, /could not be written.*(?:was|were) deleted/, to);
        assert.doesNotMatch(stderr, /^\s+at /m);
        assert.equal((await mustDo(['token', 'list', '--json'], here)).out, before, words);
      }
      const { status } = spawnSync('sh', ['-c', 'exec "$0" "$@" >/dev/full', ...all], { env });
      assert.equal(status, 1);
    }
  });

  test('every command takes the file of --config, as all of them may share one', () => {
    const without = everyCommand.filter(({ command }) => !command.takes.includes('config'));
    assert.deepEqual(
      without.map(({ words }) => words.join(' ')),
      [],
    );
  });

  test('backup and restore are of the database that the shared file names', async () => {
    const file = join(folder, 'shared.json');
    writeFileSync(file, JSON.stringify({ database_url: 'sqlite:shared.db', port: 9_000 }));
    const here = { LINECARD_CONFIG: file };
    await mustDo(['account', 'create', 'acme'], here);
    assert.match(
      (await mustDo(['backup', 'shared.backup'], here)).err,
      /shared\.db to shared\.backup: 1 acc/,
    );
    const restored = await mustDo(['restore', 'shared.backup', '--yes', '--config', file]);
    assert.match(restored.err, /^Restored shared\.db from/);
  });

  test('restore asks nothing where there is no backup', async () => {
    const here = databaseAt('kept.db');
    await mustDo(['account', 'create', 'acme'], here);
    const { status, out, err } = await run(['restore', 'nothing.db'], here);
    assert.deepEqual([status, out, err], [1, '', 'linecard-server: There is no file nothing.db.\n']);
  });

  test('intake makes no database at a mistyped path: no token would be good in it', async () => {
    const here = databaseAt('nope/nope.db');
    const { status, err } = await run(['intake', '--port', '0'], here);
    assert.equal(status, 1);
    assert.match(err, /There is no database at .*nope\.db\. Name another with --database-url/);
    assert.equal(existsSync(join(folder, 'nope')), false);
  });

  test('intake does not start where large bodies cannot be put into the folder for temporary files', async () => {
    const here = databaseAt('spool.db');
    await mustDo(['migrate'], here);
    for (const TMPDIR of [join(folder, 'nowhere'), join(folder, 'spool.db')]) {
      const { status, err } = await run(['intake', '--port', '0'], { ...here, TMPDIR });
      assert.equal(status, 1, err);
      assert.match(JSON.parse(err).msg, /^The folder for temporary files \(TMPDIR\) cannot be used: /);
    }
  });

  test('an import that is done exits 0 though its summary cannot be written, and says that it is done', {
    skip: !existsSync('/dev/full'),
  }, async () => {
    const here = databaseAt('unwritten.db');
    const file = join(folder, 'unwritten.csv');
    writeFileSync(file, 'account_id,id,title,subscription_status,frequency\na,7,Fax,active,monthly\n');
    const words = ['import', 'additional-services', file, '--json'];
    const into = (redirection: string, ...more: string[]) => {
      const within = ['sh', '-c', `exec "$0" "$@" ${redirection}`];
      return runProgram([...words, ...more], { cwd: folder, env: here, within });
    };
    const unread = await into('>/dev/full');
    assert.equal(unread.status, 0, unread.err);
    assert.match(unread.err, /1 inserted.*\nThe import is done; only its summary could not be written.*\n$/);
    const silent = await into('2>/dev/full');
    assert.equal(silent.status, 0);
    assert.equal(JSON.parse(silent.out).unchanged, 1);
    const tried = await into('>/dev/full', '--dry-run');
    assert.equal(tried.status, 1);
    assert.match(tried.err, /The summary could not be written to standard output/);
  });

  test('copy names --from where there is no database to copy', async () => {
    const { status, err } = await run(['copy', '--from', 'sqlite:nope.db', '--to', 'sqlite:copied.db']);
    assert.deepEqual([status, err], [1, 'linecard-server: --from: There is no database at nope.db.\n']);
    assert.equal(existsSync(join(folder, 'copied.db')), false);
  });

  test('what is advised can be copied to a shell, whatever the id of the account', async () => {
    const here = databaseAt('quoted.db');
    await mustDo(['account', 'create', 'known'], here);
    const { err } = await run(['token', 'create', '--account', "a b/c?'ü"], here);
    assert.match(err, /linecard-server account create 'a b\/c\?'\\''ü'\n$/);
  });

  test('token list names an account that there is not, rather than show that it has none', async () => {
    const here = databaseAt('typo.db');
    await mustDo(['account', 'create', 'known'], here);
    assert.equal((await mustDo(['token', 'list', '--account', 'known', '--json'], here)).out, '[]\n');
    const { status, out, err } = await run(['token', 'list', '--account', 'konwn'], here);
    assert.deepEqual([status, out], [1, '']);
    assert.match(err, /There is no account konwn\./);
  });

  test('options may stand before the name of a list or after it', async () => {
    const file = join(folder, 'services.csv');
    writeFileSync(file, 'id,title,subscription_status,frequency\n7,Fax,active,monthly\n');
    const shared = join(folder, 'options.json');
    writeFileSync(shared, JSON.stringify({ database_url: 'sqlite:options.db' }));
    const list = 'additional-services';
    for (const words of [
      ['--config', shared, list, file, '--account', 'a'],
      ['--config', shared, '--account', 'a', '--replace-all', '--dry-run', list, file],
      [`--config=${shared}`, '--account', list, '--expect-rows', '1', list, file],
    ])
      assert.match((await mustDo(['import', ...words])).err, /^Additional services: 1 row read/m);
    const { out } = await mustDo(['account', '--config', shared, 'list', '--json']);
    assert.deepEqual(
      JSON.parse(out).map(({ id }: { id: string }) => id),
      ['a', list],
    );
    const { status, err } = await run(['import', '--replace', 'numbers', file]);
    assert.equal(status, 2);
    assert.match(err, /"numbers" is not a list/);
  });

  test('an option comes before the environment, the environment before the default', async () => {
    const [one, other] = ['one.db', 'other.db'];
    await mustDo(['migrate', '--database-url', `sqlite:${join(folder, one)}`], databaseAt(other));
    assert.deepEqual([existsSync(join(folder, one)), existsSync(join(folder, other))], [true, false]);
    await mustDo(['migrate', '--database-url', 'sqlite:relative.db'], { LINECARD_DATABASE_URL: '' });
    assert.ok(existsSync(join(folder, 'relative.db')));
    await mustDo(['migrate']);
    assert.ok(existsSync(join(folder, 'data', 'linecard.db')));
  });

  describe('what a command is about is never taken from the environment or the shared file', () => {
    const former = Object.keys(options) as (keyof typeof options)[];

    test('which every command refuses, before it does anything', async () => {
      const variables = Object.fromEntries(former.map((name) => [variableOf(name), '1']));
      const file = join(folder, 'options.json');
      writeFileSync(file, JSON.stringify(Object.fromEntries(former.map((name) => [name, 1]))));
      for (const { words, command } of everyCommand) {
        const values = command.words.match(/<[^>]+>/g) ?? [];
        const typed = [...words, ...values.map(() => 'x')];
        const byVariable = await run(typed, { ...databaseAt('never.db'), ...variables });
        const byFile = await run([...typed, '--config', file], databaseAt('never.db'));
        for (const { status, out, err } of [byVariable, byFile])
          assert.deepEqual([status, out, err.match(/is not a setting: --/g)?.length], [2, '', former.length]);
      }
      assert.equal(existsSync(join(folder, 'never.db')), false);
    });

    test('so that neither revokes tokens, deletes an account nor empties a list', async () => {
      const here = databaseAt('unasked.db');
      const one = join(folder, 'unasked.ndjson');
      writeFileSync(one, ndjson([numberRow('acme', 1), numberRow('acme', 2)]));
      await mustDo(['account', 'create', 'acme'], here);
      await mustDo(['token', 'create', '--account', 'acme'], here);
      await mustDo(['import', 'virtual-numbers', one], here);
      const state = async () => {
        const lists = ['account', 'token'].map((group) => mustDo([group, 'list', '--json'], here));
        return (await Promise.all(lists)).map(({ out }) => out);
      };
      const before = await state();
      const file = join(folder, 'unasked.json');
      writeFileSync(file, JSON.stringify({ yes: true, replace_all: true, account: 'acme' }));
      writeFileSync(one, ndjson([numberRow('acme', 1)]));
      for (const [words, more] of [
        [['token', 'revoke'], { LINECARD_ACCOUNT: 'acme' }],
        [['token', 'revoke', '--config', file], {}],
        [['account', 'delete', 'acme', '--config', file], {}],
        [['account', 'delete', 'acme'], { LINECARD_YES: 'true' }],
        [['import', 'virtual-numbers', '--config', file, one], {}],
      ] as const) {
        const { status, err } = await run([...words], { ...here, ...more });
        assert.equal(status, 2, words.join(' '));
        assert.match(err, /is not a setting: --\S+ is given to a command, on its command line alone\./);
      }
      assert.deepEqual(await state(), before);
    });
  });

  describe('a secret that was given is not repeated', () => {
    const token = `lc_${'aB3'.repeat(14)}`;
    const url = 'https://user:s3cret@host.example';
    const given: readonly [words: string[], environment?: Record<string, string>][] = [
      [['serve', '--jwt-issuer', url]],
      [['serve', '--jwt-issuer', 'https://host.example?client_secret=s3cret']],
      [['serve', '--jwt-jwks-url', url]],
      [['serve', '--public-url', 'https://user:s3cr/s3cret@host.example']],
      [['serve', '--support-url', 'user:s3cret@host.example']],
      [['serve', '--cors-origin', url]],
      [['serve', '--frame-ancestors', url]],
      [['serve', '--database-url', 'postgres://user:s3cret@host:port/db']],
      [['serve', '--replica-url', 'postgres://user:s3cret@']],
      [['serve'], { LINECARD_PUBLIC_URL: url }],
      [['serve', `--databse-url=${url}`]],
      [['copy', '--from', url, '--to', url]],
      [['pull', 'virtual-numbers', '--query', 'x', '--from', url]],
      [['webhook', 'create', '--account', 'x', '--url', url]],
      [['webhook', 'rotate', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']],
      [['account', 'enable', token]],
      [['token', 'create', '--account', token]],
      [['token', 'revoke', token]],
      [['token', 'rotate', token.replace('lc_', 'lco_')]],
      [['token', token]],
      [[token]],
    ];
    const KEY = Buffer.alloc(32, 1).toString('base64');
    for (const [words, environment] of given)
      test([...words, ...Object.keys(environment ?? {})].join(' ').slice(0, 50), async () => {
        await mustDo(['migrate'], databaseAt('secrets.db'));
        const here = { ...databaseAt('secrets.db'), LINECARD_SIGNING_KEY: KEY };
        const { status, out, err } = await run(words, { ...here, ...environment });
        assert.notEqual(status, 0);
        assert.doesNotMatch(out + err, /s3c|aB3aB3|MfKQ9r8/);
        assert.match(err, /^linecard-server: |^error: |"level":60/);
      });

    test('and a token that leaked is revoked by itself, with its id as the answer', async () => {
      const here = databaseAt('leaked.db');
      await mustDo(['account', 'create', 'acme'], here);
      const leaked = (await mustDo(['token', 'create', '--account', 'acme'], here)).out.trim();
      const operator = (await mustDo(['token', 'create', '--operator'], here)).out.trim();
      const rotated = await mustDo(['token', 'rotate', leaked], here);
      assert.match(rotated.err, /^Token \S{12} expires at /m);
      for (const secret of [leaked, rotated.out.trim(), operator]) {
        const { out, err } = await mustDo(['token', 'revoke', secret], here);
        assert.match(out + err, /^Revoked token [0-9A-Za-z]{12}\.\n$/);
        assert.match((await mustDo(['token', 'revoke', secret], here)).err, /is already revoked\.$/m);
      }
    });
  });

  test('a mistyped variable is reported with the one that was meant; those of linecard are not', async () => {
    const shared = { LINECARD_URL: 'http://127.0.0.1:8080', LINECARD_TOKEN: 'lc_secret' };
    const { err } = await mustDo(['migrate'], {
      ...databaseAt('typo.db'),
      ...shared,
      LINECARD_PROT: '80',
    });
    assert.match(err, /^linecard-server: LINECARD_PROT is not a setting.*LINECARD_PORT\?$/m);
    assert.doesNotMatch(err, /LINECARD_(?:URL|TOKEN)/);
  });

  test('a database of something else is refused with exit status 1 and without a stack', async () => {
    writeFileSync(join(folder, 'letter.db'), 'Dear Sir or Madam, '.repeat(100));
    for (const words of [['serve', '--port', '0'], ['migrate'], ['account', 'list']]) {
      const { status, out, err } = await run(words, databaseAt('letter.db'));
      assert.deepEqual([status, out], [1, ''], words.join(' '));
      assert.match(err, /letter\.db is not a SQLite database/);
      assert.doesNotMatch(err, /^\s+at /m);
    }
    assert.equal(readFileSync(join(folder, 'letter.db'), 'utf8'), 'Dear Sir or Madam, '.repeat(100));
  });

  test('the commands of node_modules/.bin say on an older Node.js which one they need', () => {
    const pretended = `data:text/javascript,${encodeURIComponent(
      "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });",
    )}`;
    for (const [name, needs] of [
      ['linecard-server', '26'],
      ['linecard', '22.18'],
    ] as const) {
      const file = join(MAIN, '..', '..', 'node_modules', '.bin', name);
      assert.match(realpathSync(file), /\.cjs$/);
      const { status, stderr, stdout } = spawnSync(process.execPath, ['--import', pretended, file, 'serve']);
      assert.deepEqual([status, String(stdout)], [1, '']);
      assert.ok(String(stderr).startsWith(`${name}: This is Node.js 20.20.2, and `), String(stderr));
      assert.match(String(stderr), new RegExp(`needs ${needs} or newer: [^\n]*\n$`));
      const now = spawnSync(process.execPath, [file, '--version'], { encoding: 'utf8' });
      assert.match(now.stdout, /^\d+\.\d+\.\d+/);
    }
  });

  test('two that bring the schema up to date at once do it one after the other', async () => {
    const here = databaseAt('turns.db');
    await Promise.all([
      mustDo(['migrate'], here),
      mustDo(['migrate'], here),
      mustDo(['account', 'create', 'a'], here),
    ]);
    assert.match((await mustDo(['account', 'list'], here)).out, /^a /m);
  });

  const serve = (words: readonly string[], env: Record<string, string>) =>
    serveProgram(['serve', ...words], { cwd: folder, env });

  test('serve leaves its standard input as it is, so that programs that share it still wait on it', {
    skip: existsSync('/proc/self/fdinfo') ? false : 'there is no /proc',
  }, async () => {
    const here = databaseAt('shared.db');
    await mustDo(['migrate'], here);
    const { child, ended } = await serve([], here);
    const isLeft = !isNonBlocking(Number(child.pid), 0);
    child.kill('SIGTERM');
    await ended;
    assert.ok(isLeft);
  });

  test('serve answers, forgets a revoked token, logs no secret and ends gracefully on SIGTERM', async () => {
    const here = databaseAt('served.db');
    await mustDo(['account', 'create', 'acme'], here);
    const token = (await mustDo(['token', 'create', '--account', 'acme'], here)).out.trim();
    const other = (await mustDo(['token', 'create', '--account', 'acme'], here)).out.trim();
    const { child, url, said, ended } = await serve([], { ...here, LINECARD_RATE_LIMIT: '0' });

    const list = url + virtual_numbers.path;
    const answer = await fetch(`${list}?q=%2B442079460018&providers=SecretProvider`, {
      headers: { authorization: token },
    });
    assert.deepEqual(await answer.json(), { data: [], page: 1, page_size: 10, total: 0, total_pages: 0 });
    assert.equal(await statusOf(`${list}?access_token=${token}&q=442079460018`, token), 400);
    assert.equal(await statusOf(`${url}/${token}`, token), 404);
    assert.equal(await statusOf(`${url}/readyz`, ''), 200);
    assert.equal(await statusOf(list, other), 200);

    const tokens = JSON.parse((await mustDo(['token', 'list', '--json'], here)).out);
    await mustDo(['token', 'revoke', tokens[0].id], here);
    const good = async () =>
      (await Promise.all([statusOf(list, token), statusOf(list, other)])).filter((status) => status === 200)
        .length;
    await until('one of the two is refused', async () => (await good()) < 2);
    assert.equal(await good(), 1);

    // A connection that says nothing does not hold up the end.
    const idle = connect(Number(new URL(url).port), '127.0.0.1');
    await once(idle, 'connect');
    child.kill('SIGTERM');
    assert.partialDeepStrictEqual(await ended, { status: 0, signal: null }, said.err);
    idle.destroy();

    for (const secret of [
      token,
      other,
      token.slice(3, 30),
      '442079460018',
      'SecretProvider',
      'access_token',
    ]) {
      assert.equal(said.all.includes(secret), false, secret);
    }
    const lines = said.err
      .trimEnd()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    assert.ok(lines.filter(({ msg }) => msg === 'answered').length > 5, said.err);
    for (const line of lines.filter(({ msg }) => msg === 'answered')) {
      assert.match(line.request_id, /^\S+$/);
      assert.deepEqual(
        [typeof line.status, typeof line.method, typeof line.milliseconds],
        ['number', 'string', 'number'],
      );
    }
    const used = JSON.parse((await mustDo(['token', 'list', '--json'], here)).out);
    for (const one of used) assert.match(String(one.last_used_at), /^\d{4}-.*Z$/);
  });

  test('serve --demo prints a token and URLs that work, and a second start another token', async () => {
    const here = databaseAt('demo.db');
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const { child, url, said, ended } = await serve(['--demo', '--log-level', 'silent'], here);
      const token = said.out.split(/\s+/).find((word) => TOKEN.test(word));
      assert.equal(await statusOf(url + virtual_numbers.path, String(token)), 200);
      const tried = [...said.out.matchAll(/"(http:\/\/127[^"]*)"/g)].map(([, address = '']) => address);
      for (const address of tried) assert.equal(await statusOf(address, String(token)), 200, address);
      // What has not been called for 90 days is found by the own fields of the sample accounts.
      const unused = String(tried.find((address) => address.includes('?x_last_call_before=')));
      const answer = await fetch(unused, { headers: { authorization: `Bearer ${token}` } });
      const { data } = (await answer.json()) as { data: { x_site: string; x_last_call: string }[] };
      assert.ok(data.length > 0 && data.every(({ x_site, x_last_call }) => x_site !== '' && x_last_call));
      child.kill(signal);
      assert.partialDeepStrictEqual(await ended, { status: 0, signal: null });
      assert.equal(said.err, '');
    }
  });

  test('serve says what to do where it cannot listen, before it makes a database', async () => {
    await using taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const here = databaseAt('taken.db');
    const cannot: readonly (readonly [words: string[], says: RegExp])[] = [
      [['--port', String(port)], new RegExp(`Port ${port} of 127.0.0.1 is already in use.*--port`)],
      [['--port', '0', '--host', '192.0.2.1'], /192\.0\.2\.1 is not an address of this machine.*--host/],
      [['--port', String(port), '--workers', '2'], /already in use.*--port/],
      [['--port', '0', '--host', 'no.invalid'], /The host name no\.invalid cannot be resolved.* --host/],
      [['--port', '0', '--host', '[2001:db8::1]'], /2001:db8::1 is (?:not an|none).*--host: :: is every one/],
      [
        ['--port', '0', '--host', 'fe80::1'],
        /fe80::1 (?:cannot be listened on|is none).*--host: :: is every one/,
      ],
      [
        ['--port', '0', '--metrics-port', '0', '--metrics-host', '[2001:db8::1]'],
        /2001:db8::1 is (?:not an|none).*--metrics-host: :: is every one/,
      ],
    ];
    for (const [words, says] of cannot) {
      const { status, out, err } = await run(['serve', '--demo', ...words], here);
      assert.deepEqual([status, out], [1, ''], err);
      assert.match(err, says);
      assert.doesNotMatch(err, /^\s+at /m);
    }
    assert.equal(existsSync(here.LINECARD_DATABASE_URL.slice('sqlite:'.length)), false);
  });
});
