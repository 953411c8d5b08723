// What an operator sees of a running service: its metrics as Prometheus reads them, of one process and of
// several, and the dashboard and alert rules that are made for them.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Finding } from '../../server/commands/doctor-checks.ts';
import { ExportLimits } from '../../server/http/export-limits.ts';
import { definitions } from '../../server/metrics/definitions.ts';
import { BUCKETS, DURATION_LABELS, DURATIONS } from '../../server/metrics/durations.ts';
import { readyState } from '../../server/version.ts';
import { type Running, runProgram, startProgram, stopProgram } from '../kit/program.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

const LIST = '/api/v1/did/me';
const PATIENCE_MS = 60_000;
const SAMPLE = /^([a-z][a-z0-9_]*)(?:\{(.*)\})? (\S+)$/;

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

function samplesOf(text: string): Sample[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name = '', labels = '', value] = SAMPLE.exec(line) ?? assert.fail(line);
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, of]) => [label, of]);
    return { name, labels: Object.fromEntries(pairs), value: Number(value) };
  });
}

/** A service with metrics. */
class Measured {
  readonly #running: Running;

  constructor(database: string, ...words: readonly string[]) {
    const all = ['serve', '--demo', '--port', '0', '--metrics-port', '0', ...words];
    this.#running = startProgram(all, { env: { LINECARD_DATABASE_URL: database } });
  }

  /** The first match in what it has said, as soon as it is there. */
  async says(what: RegExp): Promise<string> {
    return String((await this.#running.says(what))[1]);
  }

  /** The lines of its log. */
  get lines(): Record<string, unknown>[] {
    const { all } = this.#running.said;
    const whole = all.slice(0, all.lastIndexOf('\n'));
    const lines = whole.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line));
  }

  url = () => this.says(/Linecard answers at (http:\S+)/);
  token = () => this.says(/(lc_\w{42})/);

  async ask(path: string, headers: Record<string, string> = {}): Promise<number> {
    const { status } = await fetch((await this.url()) + path, {
      headers: { connection: 'close', ...headers },
    });
    return status;
  }

  metricsUrl = () => this.says(/"url":"(http:[^"]*\/metrics)"/);

  /** The metrics, as soon as the imports of the demo are among them. */
  metrics(): Promise<Sample[]> {
    return until('imports are among the metrics', async () => {
      const answer = await fetch(await this.metricsUrl());
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
      const samples = samplesOf(await answer.text());
      return samples.some(({ name }) => name === 'linecard_last_import_rows') && samples;
    });
  }

  async end(): Promise<void> {
    await stopProgram(this.#running);
  }
}

/** The one sample of a name with these labels. */
function sampleOf(samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number {
  const found = samples.filter(
    (one) =>
      one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
  );
  assert.equal(found.length, 1, `${name} ${JSON.stringify(labels)}: ${found.length}`);
  return found[0]?.value ?? Number.NaN;
}

const countOf = (samples: readonly Sample[], route: string, status: number) =>
  sampleOf(samples, `${DURATIONS}_count`, {
    http_route: route,
    http_request_method: 'GET',
    http_response_status_code: String(status),
  });

test('the metric of exports that broke off names every reason', () => {
  const { help = '' } = definitions.find(({ name }) => name === 'linecard_exports_broken_off_total') ?? {};
  const reasons = Object.keys(new ExportLimits({} as never, 0).aborted);
  assert.deepEqual(
    reasons.filter((reason) => !new RegExp(`\\b${reason}\\b`).test(help)),
    [],
  );
});

describe('what an operator sees', () => {
  let database: string;
  let one: Measured;
  before(async () => {
    database = `sqlite:${join(temporaryFolder(), 'linecard.db')}`;
    one = new Measured(database, '--log-level', 'debug');
  });
  after(() => one.end());

  test('requests by route, method and status, in the buckets of OpenTelemetry', async () => {
    const authorization = await one.token();
    for (const path of [LIST, `${LIST}?q=442`, `${LIST}/4420794600313373`])
      await one.ask(path, { authorization });
    assert.equal(await one.ask(LIST), 401);
    assert.equal(await one.ask('/secret-path-442079460018'), 404);
    const samples = await one.metrics();
    assert.equal(countOf(samples, LIST, 200), 2);
    assert.equal(countOf(samples, `${LIST}/:id`, 404), 1);
    assert.equal(countOf(samples, LIST, 401), 1);
    assert.equal(countOf(samples, '', 404), 1);
    const buckets = samples.filter(
      ({ name, labels }) =>
        name === `${DURATIONS}_bucket` &&
        labels['http_route'] === LIST &&
        labels['http_response_status_code'] === '200',
    );
    assert.deepEqual(
      buckets.map(({ labels }) => labels['le']),
      [...BUCKETS.map(String), '+Inf'],
    );
    for (const [i, { value }] of buckets.entries()) assert.ok(value >= (buckets[i - 1]?.value ?? 0));
    assert.equal(buckets.at(-1)?.value, 2);
  });

  test('every metric of the table, and no label that is not in it', async () => {
    const samples = await one.metrics();
    const known = new Map(definitions.map(({ name, labels }) => [name, labels]));
    for (const { name, labels } of samples) {
      if (!name.startsWith('linecard_')) continue;
      assert.deepEqual(Object.keys(labels), known.get(name), name);
    }
    const present = new Set(samples.map(({ name }) => name));
    // Of a server, TLS, feeds that have run three times, an identity provider, and what delivers webhooks
    // (test/webhooks/processes.long.test.ts).
    const absent = [
      'linecard_webhook_attempts_total',
      'linecard_webhooks',
      'linecard_webhook_oldest_pending_seconds',
      'linecard_jwt_total',
      'linecard_jwks_age_seconds',
      'linecard_certificate_expires_timestamp_seconds',
      'linecard_database_reads_waiting',
      'linecard_database_connections',
      'linecard_import_interval_seconds',
    ];
    for (const name of known.keys())
      if (!absent.includes(name) && !name.startsWith('linecard_replica_')) assert.ok(present.has(name), name);
    for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds'])
      assert.ok(present.has(name), name);
    assert.deepEqual(
      new Set(
        samples
          .filter(({ name }) => name === `${DURATIONS}_count`)
          .flatMap(({ labels }) => Object.keys(labels)),
      ),
      new Set(DURATION_LABELS),
    );
  });

  test('no token, account, address or number is in it', async () => {
    const text = JSON.stringify(await one.metrics());
    const token = await one.token();
    for (const secret of [
      token.slice(3),
      'pennywharf',
      '127.0.0.1',
      '442079460018',
      'secret-path',
      '4420794600313373',
    ])
      assert.equal(text.includes(secret), false, secret);
  });

  test('a proxy that is not trusted is counted, logged once, and found by doctor', async () => {
    const metric = 'linecard_untrusted_forwards_total';
    const doctor = async () => {
      const { port } = new URL(await one.metricsUrl());
      const words = ['doctor', '--json', '--metrics-port', port, '--database-url', database];
      const { findings } = JSON.parse((await runProgram(words)).out) as { findings: Finding[] };
      return findings.filter(({ check }) => check === 'proxy');
    };
    assert.equal(sampleOf(await one.metrics(), metric), 0);
    assert.match(JSON.stringify(await doctor()), /"ok".*No request came through one yet/);
    for (const header of ['x-forwarded-for', 'forwarded', 'x-forwarded-for'])
      await one.ask('/healthz', { [header]: '192.0.2.7' });
    assert.equal(sampleOf(await one.metrics(), metric), 3);
    assert.match(JSON.stringify(await doctor()), /"advice".*3 requests named a client.*--trust-proxy/);
    const warnings = () => one.lines.filter(({ msg }) => String(msg).includes('--trust-proxy'));
    await until('it is logged', () => warnings().length > 0);
    assert.deepEqual(
      warnings().map(({ level, peer }) => [level, peer]),
      [[40, '127.0.0.1']],
    );
  });

  test('what clients hold, what is refused for it, and requests that wait behind others are counted', async () => {
    const token = await one.token();
    const { port } = new URL(await one.url());
    const answer = await fetch((await one.url()) + LIST, { headers: { authorization: token } });
    await answer.text();
    const head = (method: string, more: string) =>
      `${method} ${LIST} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n${more}\r\n`;
    const waits = `Prefer: wait=30\r\nIf-None-Match: ${answer.headers.get('etag')}\r\n`;
    // One more than an account may send at once.
    const body = `${head('QUERY', 'Content-Type: application/json\r\nContent-Length: 1048576\r\n')}{`;
    const sockets = [head('GET', waits) + head('GET', '').repeat(3), ...Array(9).fill(body)].map((text) => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
      socket.write(text);
      return socket;
    });
    try {
      await until('they are held', async () => {
        const samples = await one.metrics();
        const seen = [
          sampleOf(samples, 'linecard_room_bytes', { room: 'bodies' }),
          sampleOf(samples, 'linecard_room_refusals_total', { room: 'bodies', reason: 'owner' }),
          sampleOf(samples, 'linecard_room_refusals_total', { room: 'answers', reason: 'all' }),
          sampleOf(samples, 'linecard_pipelined_requests_waiting'),
        ];
        return seen.join() === '8388608,1,0,3';
      });
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  test('refused tokens, caches and imports are counted, and the imports are there after a restart', async () => {
    const authorization = await one.token();
    await one.ask(LIST, { authorization });
    await one.ask(LIST, { authorization: 'lc_mistyped' });
    const samples = await one.metrics();
    assert.ok(sampleOf(samples, 'linecard_tokens_refused_total', { reason: 'token_missing' }) >= 1);
    assert.equal(sampleOf(samples, 'linecard_tokens_refused_total', { reason: 'token_malformed' }), 1);
    const pages = { cache: 'pages', list: 'virtual_numbers' };
    assert.ok(sampleOf(samples, 'linecard_cache_hits_total', pages) >= 1);
    assert.ok(sampleOf(samples, 'linecard_cache_misses_total', pages) >= 2);
    assert.ok(sampleOf(samples, 'linecard_cache_bytes', pages) > 1_000);
    // The embedded store says at once whether anything has changed, so callers are not cached.
    assert.ok(sampleOf(samples, 'linecard_cache_bytes', { cache: 'sizes', list: '' }) >= 0);
    const imported = (all: readonly Sample[]) =>
      sampleOf(all, 'linecard_last_import_timestamp_seconds', { list: 'virtual_numbers', feed: 'command' });
    assert.ok(Math.abs(imported(samples) - Date.now() / 1_000) < 300);
    assert.ok(sampleOf(samples, 'linecard_change_log_entries', { list: 'virtual_numbers' }) > 10);
    assert.ok(
      sampleOf(samples, 'linecard_last_import_rows', { list: 'virtual_numbers', outcome: 'inserted' }) > 10,
    );
    const again = new Measured(database, '--workers', '2');
    await again.url().catch(() => {});
    assert.equal(imported(await again.metrics()), imported(samples));
    await again.end();
  });

  test('the log has one line a request, with where its time went; probes are at debug', async () => {
    const authorization = await one.token();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const ask = (id: string, path: string, more: Record<string, string> = {}) =>
      one.ask(path, { 'x-request-id': id, authorization, ...more });
    await ask('traced', `${LIST}?page_size=3`, { traceparent });
    await ask('untraced', LIST, { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` });
    await ask('refused', LIST, { authorization: 'lc_mistyped' });
    await ask('probe', '/readyz');
    await ask(authorization, '/healthz');
    await one.says(/("request_id":"probe")/);
    await one.says(/("request_id":"untraced")/);
    const lineOf = (id: string) => one.lines.filter(({ request_id }) => request_id === id);
    const [traced, ...more] = lineOf('traced');
    assert.deepEqual(more, []);
    assert.equal(traced?.['traceparent'], traceparent);
    assert.equal(lineOf('untraced')[0]?.['traceparent'], undefined);
    const why = (id: string) => ['problem', 'reason'].map((name) => lineOf(id)[0]?.[name]);
    assert.deepEqual(why('traced'), [undefined, undefined]);
    assert.deepEqual(why('refused'), ['unauthenticated', 'token_malformed']);
    assert.deepEqual(
      [traced?.['level'], traced?.['peer'], traced?.['route'], traced?.['status'], traced?.['method']],
      [30, '127.0.0.1', LIST, 200, 'GET'],
    );
    assert.match(String(traced?.['token_id']), /^\w{12}$/);
    assert.ok(Number(traced?.['bytes']) > 500);
    const of = (name: string) => Number(traced?.[name]);
    const [all, queue, store, write] = [of('milliseconds'), of('queue_ms'), of('store_ms'), of('write_ms')];
    assert.ok(
      queue === 0 && store > 0 && write > 0 && queue + store + write <= all + 0.01,
      JSON.stringify(traced),
    );
    assert.equal(lineOf('probe')[0]?.['level'], 20);
    assert.deepEqual(lineOf(authorization), [], 'a token came into the log as a request id');
  });

  test('anything but /metrics and /healthz is not there, and nothing can be changed', async () => {
    const url = await one.says(/"url":"(http:[^"]*\/metrics)"/);
    assert.equal((await fetch(new URL('/', url))).status, 404);
    assert.deepEqual(await (await fetch(new URL('/healthz', url))).json(), { status: 'alive' });
    assert.equal((await fetch(new URL('/healthz', url), { method: 'POST' })).status, 405);
    assert.equal((await fetch(url, { method: 'POST' })).status, 405);
    assert.equal((await fetch(`${await one.url()}/metrics`)).status, 404);
  });

  test('the version and the commit are in the metrics and in /readyz', async () => {
    const answer = await fetch(`${await one.url()}/readyz`);
    const ready = (await answer.json()) as { version: string; commit?: string };
    assert.deepEqual(ready, readyState());
    const { version, commit: built = '' } = ready;
    assert.equal(sampleOf(await one.metrics(), 'linecard_build_info', { version, commit: built }), 1);
  });
});

describe('several processes', () => {
  test('count as one, and no counter goes back when one of them ends', {
    timeout: 2 * PATIENCE_MS,
  }, async () => {
    const service = new Measured(`sqlite:${join(temporaryFolder(), 'linecard.db')}`, '--workers', '2');
    try {
      const authorization = await service.token();
      for (let i = 0; i < 20; i++) await service.ask(LIST, { authorization });
      const seen = await service.metrics();
      assert.equal(countOf(seen, LIST, 200), 20);
      assert.equal(sampleOf(seen, 'linecard_processes'), 2);
      const answered = service.lines.filter(({ msg }) => String(msg).startsWith('Server listening'));
      process.kill(Number(answered[0]?.['pid']), 'SIGKILL');
      await service.says(/(a process exited)/);
      for (let i = 0; i < 5; i++) await service.ask(LIST, { authorization });
      assert.equal(countOf(await service.metrics(), LIST, 200), 25);
    } finally {
      await service.end();
    }
  });
});

describe('the dashboard and the alert rules', () => {
  const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy');
  /** A metric and the condition on its labels, if it has one. */
  const USED = /\b((?:linecard|http_server|process|nodejs)_\w+)(?:\{([^}]*)\})?/g;
  /** Labels that Prometheus adds. */
  const ADDED = ['job', 'instance'];
  /** Metrics of every program on Node.js, which the tests above have seen. */
  const DEFAULTS = [
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'process_open_fds',
    'process_max_fds',
    'nodejs_eventloop_lag_p99_seconds',
  ];

  const known = new Map<string, readonly string[]>([
    ...definitions.map(({ name, labels }) => [name, labels] as const),
    ...DEFAULTS.map((name) => [name, []] as const),
    ...['bucket', 'sum', 'count'].map((end) => [`${DURATIONS}_${end}`, [...DURATION_LABELS, 'le']] as const),
  ]);
  const dashboard = JSON.parse(readFileSync(join(DEPLOY, 'grafana-dashboard.json'), 'utf8'));
  const targets = dashboard.panels.flatMap(({ targets: all = [] }: { targets?: { expr: string }[] }) =>
    all.map(({ expr }) => expr),
  ) as string[];
  const rules = [...readFileSync(join(DEPLOY, 'alerts.yml'), 'utf8').matchAll(/^ +expr: (.+)$/gm)];
  const expressions = { dashboard: targets, rules: rules.map(([, expr = '']) => expr) };

  for (const [name, all] of Object.entries(expressions)) {
    test(`the ${name} use metrics that there are, with labels that they have`, () => {
      assert.ok(all.length > 10);
      for (const expr of all) {
        const used = [...expr.matchAll(USED)];
        for (const [, metric = '', labels = ''] of used) {
          const own = known.get(metric) ?? assert.fail(`there is no ${metric}: ${expr}`);
          for (const [, label = ''] of labels.matchAll(/(\w+)(?:=~|!~|!=|=)"/g))
            assert.ok([...own, ...ADDED].includes(label), `${metric} has no ${label}: ${expr}`);
        }
        const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) =>
          names.split(', '),
        );
        const labels = used.flatMap(([, metric = '']) => known.get(metric) ?? []);
        for (const label of grouped) assert.ok([...labels, ...ADDED].includes(label), `${label}: ${expr}`);
      }
    });
  }

  test('every metric of the table is in one of them', () => {
    const all = [...targets, ...expressions.rules].join('\n') + JSON.stringify(dashboard.templating);
    const informative = ['linecard_processes', 'linecard_cache_entries'];
    for (const { name } of definitions) {
      if (!informative.includes(name)) assert.ok(all.includes(name), `${name} is shown nowhere`);
    }
  });
});
