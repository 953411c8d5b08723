// The files of deploy/ as far as they can be tried here: nginx in front of a service on a Unix socket, where
// nginx is installed; the unit and the YAML where there is what checks them. What is not installed is
// said in a line.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { settings } from '../../server/settings/settings.ts';
import { freePort } from '../kit/free-port.ts';
import { heard, mustRun, type Running, startProgram, stopProgram } from '../kit/program.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DEPLOY = join(ROOT, 'deploy');
const NGINX = '/usr/sbin/nginx';
const NUMBERS =
  'account_id,id,did,status,frequency,subscription_status,created_at\nacme,1,+442079460001,active,monthly,active,2026-01-01T00:00:00Z\n';

const fileOf = (name: string) => readFileSync(join(DEPLOY, name), 'utf8');
const has = (command: string, ...words: string[]) => spawnSync(command, words).status === 0;
const missing = (command: string, ...words: string[]) =>
  has(command, ...words) ? false : `${command} is not installed`;

describe('the files of deploy/', () => {
  test('name settings that there are', () => {
    const options = new Set(Object.keys(settings));
    for (const name of readdirSync(DEPLOY)) {
      const text = fileOf(name);
      for (const [, variable = ''] of text.matchAll(/\bLINECARD_([A-Z_]+)\b/g))
        assert.ok(options.has(variable.toLowerCase().replace(/_file$/, '')), `${name}: LINECARD_${variable}`);
    }
    const [, json = ''] = /linecard\.json: \|\n((?: {4}.*\n)+)/.exec(fileOf('kubernetes.yml')) ?? [];
    for (const name of Object.keys(JSON.parse(json))) assert.ok(options.has(name), name);
  });

  test('set no variable that would win over the file of settings next to them', () => {
    for (const name of readdirSync(DEPLOY).filter((one) => /\.service$|^Containerfile$/.test(one))) {
      const set = [...fileOf(name).matchAll(/\bLINECARD_([A-Z_]+)=/g)].map(([, variable]) => variable);
      assert.deepEqual(
        set.filter((variable) => variable !== 'CONFIG'),
        [],
        name,
      );
    }
    const [, json = ''] = /echo '(\{"host".*\})' >/.exec(fileOf('Containerfile')) ?? [];
    for (const name of Object.keys(JSON.parse(json))) assert.ok(name in settings, name);
  });

  test('have an import in their guide that writes to the database of the service', async () => {
    const guide = readFileSync(join(ROOT, 'docs', 'how-to', 'run-as-a-service.md'), 'utf8');
    const [, json = ''] = /^```json\n(.*)\n```$/m.exec(guide) ?? [];
    const [, words = ''] = /`sudo -u linecard linecard-server (import .* FILE)`/.exec(guide) ?? [];
    const folder = temporaryFolder();
    const [config, file] = [join(folder, 'linecard.json'), join(folder, 'numbers.csv')];
    writeFileSync(config, json.replaceAll('/var/lib/linecard/', `${folder}/`));
    writeFileSync(file, NUMBERS);
    const paths = { '/etc/linecard/linecard.json': config, FILE: file } as Record<string, string>;
    await mustRun(
      words.split(' ').map((word) => paths[word] ?? word),
      { cwd: folder },
    );
    assert.ok(existsSync(join(folder, 'linecard.db')));
    assert.equal(existsSync(join(folder, 'data')), false);
  });

  test('and of the guides have units that are started again however long the database is down', () => {
    const guides = readdirSync(join(ROOT, 'docs', 'how-to')).map((name) =>
      join(ROOT, 'docs', 'how-to', name),
    );
    const units = [
      ...readdirSync(DEPLOY)
        .filter((name) => name.endsWith('.service'))
        .map(fileOf),
      ...guides.flatMap((path) =>
        [...readFileSync(path, 'utf8').matchAll(/^```ini\n(.*?)^```/gms)].map(([, unit = '']) => unit),
      ),
    ].filter((unit) => unit.includes('Restart='));
    assert.equal(units.length, 6);
    for (const unit of units) assert.match(unit, /^\[Unit\]\n(?:(?!\[).*\n)*StartLimitIntervalSec=0\n/m);
  });

  test('check the health of each container by what it answers', async () => {
    const port = { 8080: await freePort(), 8081: await freePort(), 9464: await freePort() };
    const checks = [...fileOf('compose.yml').matchAll(/--eval,\s+"(fetch.+)"/g)].map(([, code = '']) =>
      code.replace(
        /127\.0\.0\.1:(8080|8081|9464)/,
        (_, of: '8080' | '8081' | '9464') => `127.0.0.1:${port[of]}`,
      ),
    );
    assert.equal(checks.length, 3);
    const env = {
      LINECARD_DATABASE_URL: `sqlite:${join(temporaryFolder(), 'linecard.db')}`,
      LINECARD_SIGNING_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
    const statuses = () => checks.map((code) => spawnSync(process.execPath, ['--eval', code]).status);
    assert.deepEqual(statuses(), [1, 1, 1]);
    const serving = startProgram(['serve', '--create', '--port', String(port[8080])], { env });
    await serving.says(/Linecard answers at/);
    const delivering = startProgram(['deliver', '--metrics-port', String(port[9464])], { env });
    const receiving = startProgram(['intake', '--port', String(port[8081])], { env });
    await until('all are healthy', () => statuses().every((status) => status === 0));
    for (const one of [delivering, receiving, serving]) await stopProgram(one);
  });

  test('take every image of a registry from a variable, so that a digest can pin it', () => {
    const images = [...fileOf('compose.yml').matchAll(/^.*docker\.io.*$/gm)].map(([line]) => line);
    const named = images.filter((line) => !line.startsWith('#'));
    assert.ok(named.length > 0);
    for (const line of named) assert.match(line, /"?\$\{[A-Z_]+_IMAGE:-docker\.io/);
    for (const [line] of fileOf('Containerfile').matchAll(/^FROM .*$/gm))
      assert.match(line, /^FROM \$\{NODE_IMAGE\}/);
  });

  test('are YAML', { skip: missing('yamllint', '--version') }, () => {
    const files = readdirSync(DEPLOY).filter((name) => name.endsWith('.yml'));
    const rules = '{extends: relaxed, rules: {line-length: disable}}';
    const { status, stdout } = spawnSync('yamllint', ['--strict', '-d', rules, ...files], { cwd: DEPLOY });
    assert.deepEqual([status, String(stdout)], [0, '']);
  });

  test('have alerts that Prometheus takes', () => {
    const expressions = [...fileOf('alerts.yml').matchAll(/^ +expr: (.+)$/gm)].map(([, text = '']) => text);
    assert.ok(expressions.length > 0);
    // It refuses all rules where one matches the labels of a number.
    for (const one of expressions) assert.doesNotMatch(one, /\d [-+*/<>=!]+ (?:on|ignoring)\b/);
    if (!has('promtool', '--version')) return;
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', join(DEPLOY, 'alerts.yml')]);
    assert.equal(status, 0, `${stdout}${stderr}`);
  });

  test('alert once of a feed that fails and of one that is late, and not of one that works', {
    skip: missing('promtool', '--version'),
  }, () => {
    const HOURS = 40;
    const labels = (feed: string) =>
      `{job="linecard",list="virtual_numbers",feed="${feed}",mode="replace-all"}`;
    const series = (name: string, feed: string, values: string) => ({
      series: `linecard_${name}${labels(feed)}`,
      values,
    });
    const every = (value: string) => `${value}x${HOURS}`;
    const firing = (at: string, ...alerts: (readonly [name: string, feed: string])[]) => ({
      expr: 'count by (alertname, feed) (ALERTS{alertstate="firing",alertname=~"LinecardImport(Fails|Late)"})',
      eval_time: at,
      exp_samples: alerts.map(([name, feed]) => ({
        labels: `{alertname="LinecardImport${name}",feed="${feed}"}`,
        value: 1,
      })),
    });
    const tests = {
      rule_files: [join(DEPLOY, 'alerts.yml')],
      evaluation_interval: '1h',
      tests: [
        {
          interval: '1h',
          input_series: [
            // Three feeds once a day: one is done each hour, one fails from the third hour, one comes no
            // more.
            series('last_import_timestamp_seconds', 'works', every('0+3600')),
            series('import_interval_seconds', 'works', every('3600+0')),
            series('import_failures', 'works', every('0+0')),
            series('last_import_timestamp_seconds', 'fails', every('0+3600')),
            series('import_interval_seconds', 'fails', every('86400+0')),
            series('import_failures', 'fails', `0x2 1+0x${HOURS}`),
            series('last_import_timestamp_seconds', 'stops', every('0+0')),
            series('import_interval_seconds', 'stops', every('86400+0')),
            series('import_failures', 'stops', every('0+0')),
          ],
          promql_expr_test: [
            firing('2h'),
            firing('5h', ['Fails', 'fails']),
            firing('29h', ['Fails', 'fails'], ['Late', 'stops']),
          ],
        },
      ],
    };
    const file = join(temporaryFolder(), 'alerts.test.yml');
    writeFileSync(file, JSON.stringify(tests));
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file]);
    assert.equal(status, 0, `${stdout}${stderr}`);
  });

  test('alert when no webhook is delivered, and not while one receiver alone is down', {
    skip: missing('promtool', '--version'),
  }, () => {
    const of = (job: string, name: string, labels: string, values: string) => ({
      series: `linecard_webhook_${name}{job="${job}"${labels}}`,
      values,
    });
    const delivered = ',outcome="delivered"';
    const firing = (at: string, ...jobs: string[]) => ({
      expr: 'count by (job) (ALERTS{alertstate="firing",alertname="LinecardWebhooksLate"})',
      eval_time: at,
      exp_samples: jobs.map((job) => ({ labels: `{job="${job}"}`, value: 1 })),
    });
    const series = [
      of('stuck', 'oldest_pending_seconds', '', '0+60x90'),
      of('stuck', 'attempts_total', delivered, '7+0x90'),
      of('slow', 'oldest_pending_seconds', '', '0+60x90'),
      of('slow', 'attempts_total', delivered, '7+1x90'),
      of('idle', 'oldest_pending_seconds', '', '0+0x90'),
      of('idle', 'attempts_total', delivered, '7+0x90'),
    ];
    const one = {
      interval: '1m',
      input_series: series,
      promql_expr_test: [firing('10m'), firing('40m', 'stuck')],
    };
    const file = join(temporaryFolder(), 'webhooks.test.yml');
    const rules = { rule_files: [join(DEPLOY, 'alerts.yml')], evaluation_interval: '1m', tests: [one] };
    writeFileSync(file, JSON.stringify(rules));
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file]);
    assert.equal(status, 0, `${stdout}${stderr}`);
  });

  for (const unit of readdirSync(DEPLOY).filter((name) => /\.(service|timer)$/.test(name)))
    test(`have a unit ${unit} that systemd takes`, {
      skip: missing('systemd-analyze', '--version'),
    }, () => {
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(DEPLOY, unit)]);
      const own = String(stderr)
        .split('\n')
        .filter((line) => line.includes(unit));
      assert.deepEqual([status, own], [0, []]);
    });
});

describe('nginx in front of a Unix socket', {
  skip: existsSync(NGINX) ? false : 'nginx is not installed',
}, () => {
  const folder = temporaryFolder();
  let port: number;
  let token: string;
  const env = { LINECARD_DATABASE_URL: `sqlite:${join(folder, 'linecard.db')}` };
  const running: Running[] = [];

  const serve = (instance: number) =>
    startProgram(
      ['serve', '--socket', join(folder, `${instance}.sock`), '--drain', '1s', '--log-format', 'json'],
      { env: { ...env, LINECARD_RATE_LIMIT: '0' } },
    );

  function ask(
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; text: string; id: string }> {
    const { promise, resolve, reject } = Promise.withResolvers<{
      status: number;
      text: string;
      id: string;
    }>();
    const options = { port, path, headers: { authorization: token, ...headers }, rejectUnauthorized: false };
    const outgoing = request(options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (some: string) => {
        text += some;
      });
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, text, id: String(answer.headers['x-request-id']) }),
      );
    });
    outgoing.on('error', reject).end();
    return promise;
  }

  before(async () => {
    const subject = ['-subj', '/CN=linecard.example.com', '-keyout', 'linecard.key', '-out', 'linecard.pem'];
    const made = spawnSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject],
      {
        cwd: folder,
      },
    );
    assert.equal(made.status, 0, String(made.stderr));
    port = await freePort();
    const sockets = [1, 2].map((i) => `    server unix:${folder}/${i}.sock max_fails=0;\n`).join('');
    const own = fileOf('nginx.conf')
      .replace(/ {4}server unix:.*\n/, sockets)
      .replaceAll('/etc/ssl/', `${folder}/`)
      .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
      .replace('    listen [::]:443 ssl;\n', '');
    assert.doesNotMatch(own, /\b443\b/);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${folder}/nginx.pid; error_log stderr; ${process.getuid?.() === 0 ? 'user root;' : ''}
       events {} http { access_log off; ${paths.join(' ')} ${own} }`,
    );
    const file = join(folder, 'numbers.csv');
    writeFileSync(file, NUMBERS);
    await mustRun(['import', 'virtual-numbers', file], { env });
    token = (await mustRun(['token', 'create', '--account', 'acme'], { env })).out.trim();
    const nginx = heard(spawn(NGINX, ['-c', join(folder, 'nginx.conf'), '-e', 'stderr']));
    running.push(serve(1), serve(2), nginx);
    await until(
      'nginx answers',
      () =>
        ask('/api/v1/account').then(
          ({ status }) => status === 200,
          () => false,
        ),
      () => running.map(({ said }) => said.all).join(''),
    );
  });
  after(async () => {
    for (const one of running.toReversed()) await stopProgram(one);
  });

  test('requests get through, with the address of the client and the id that nginx gave them', async () => {
    const { status, text, id } = await ask('/api/v1/did/me', { 'x-forwarded-for': '203.0.113.9' });
    assert.equal(status, 200);
    assert.equal(JSON.parse(text).total, 1);
    assert.match(id, /^[\da-f]{32}$/);
    const logged = new RegExp(`^.*"request_id":"${id}".*\\n`, 'm');
    const line = (await Promise.any(running.slice(0, 2).map((one) => one.says(logged))))[0];
    assert.equal(JSON.parse(line).peer, '127.0.0.1');
  });

  test('files are streamed, long URLs taken, health is not for everybody', async () => {
    assert.match((await ask('/api/v1/did/me.csv')).text, /\+442079460001/);
    const ids = Array.from({ length: 900 }, (_, i) => 10 ** 15 + i).join(',');
    assert.equal((await ask(`/api/v1/did/me?ids=${ids}`)).status, 200);
    assert.equal((await ask('/readyz')).status, 403);
  });

  test('a request that waits for a change is answered when nothing has changed', async () => {
    const { status } = await ask('/api/v1/did/me', { prefer: 'wait=1', 'if-none-match': '*' });
    assert.equal(status, 304);
  });

  test('no request fails while one instance after the other is restarted (docs/how-to/restart.md)', async () => {
    let isOver = false;
    const statuses = new Map<unknown, number>();
    const clients = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const answer = await ask('/api/v1/did/me').then(
          ({ status }) => status,
          (error: unknown) => error,
        );
        statuses.set(answer, (statuses.get(answer) ?? 0) + 1);
      }
    });
    for (const [i, instance] of [1, 2].entries()) {
      const { child, ended } = running[i] as Running;
      child.kill('SIGTERM');
      assert.equal((await ended).status, 0);
      const next = serve(instance);
      running[i] = next;
      await next.says(/Linecard answers at unix:/);
    }
    isOver = true;
    await Promise.all(clients);
    assert.deepEqual([...statuses.keys()], [200]);
  });
});
