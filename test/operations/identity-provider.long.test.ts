// The keys of an identity provider that rotates them, is away or answers nonsense; and access tokens in
// several processes, in the metrics and in `doctor`.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { KeyTimes } from '../../server/http/jwt/issuer-keys.ts';
import { type JwtSettings, Jwts } from '../../server/http/jwt/jwt.ts';
import { fetchKeys } from '../../server/http/jwt/key-source.ts';
import { openProxy } from '../kit/http-proxy.ts';
import { type Claims, type Fault, faults, Issuer } from '../kit/issuer.ts';
import { virtual_numbers } from '../kit/model.ts';
import { killPrograms, runProgram, serveProgram } from '../kit/program.ts';
import { openService, type Service, stores } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

const PUBLIC_URL = 'https://numbers.example.com';
const KEYS = '/realms/x/keys';
const UNKNOWN_KEYS = 1_000;
const CLIENTS = 8;
const ROTATED_AFTER = 100;
const REQUESTS = 400;
const SECRET = 'nobody-may-read-this';
/** No test waits for it. */
const NEVER: KeyTimes = { refreshMs: 3_600_000, unknownMs: 3_600_000 };
const [kind] = stores;
assert.ok(kind);

const claimsOf = (claims: Claims = {}): Claims => ({ aud: PUBLIC_URL, account_id: 'C1', ...claims });

/** What each fault is called in the log. */
const REASONS: Readonly<Record<Fault, RegExp>> = {
  html: /does not answer with a JSON object/,
  error: /status 500/,
  redirect: /status 302/,
  long: /more than 256 KiB/,
  silent: /did not answer within 5 seconds/,
  empty: /no public key/,
};

describe('the keys of an identity provider', () => {
  let issuer: Issuer;
  const opened = new AsyncDisposableStack();
  before(async () => {
    issuer = await Issuer.open();
    opened.defer(() => issuer.close());
  });
  after(() => opened.disposeAsync());

  async function open(times: Partial<KeyTimes> = NEVER, settings: Partial<JwtSettings> = {}) {
    const log: string[] = [];
    const say = (what: unknown, message?: string) => log.push(`${JSON.stringify(what)} ${message}`);
    const jwts = await Jwts.open(
      {
        issuer: issuer.url,
        publicUrl: PUBLIC_URL,
        audiences: [PUBLIC_URL],
        maxLifetimeMs: 86_400_000,
        accountClaim: 'account_id',
        scopes: false,
        ...settings,
      },
      { logger: { info: say, warn: say }, times },
    );
    assert.ok(kind);
    const service = await openService(kind, { accounts: ['C1'], jwts });
    opened.defer(() => service.close());
    opened.defer(() => jwts.close());
    const list = (token: string) =>
      service.send('GET', virtual_numbers.path, { authorization: `Bearer ${token}` });
    return { log, jwts, service, list };
  }

  const ownToken = (service: Service) => service.ask('C1', virtual_numbers.path);

  test('a thousand unknown keys cause one fetch', async () => {
    const { list } = await open();
    assert.equal((await list(await issuer.sign(claimsOf()))).status, 200);
    const before = issuer.requested.length;
    const tokens = Array.from({ length: UNKNOWN_KEYS }, (_, i) =>
      issuer.sign(claimsOf(), { kid: `unknown ${i}` }),
    );
    for (const token of tokens) assert.equal((await list(await token)).status, 401);
    assert.deepEqual(issuer.requested.slice(before), [KEYS]);
  });

  test('one fetch that fails as well', async () => {
    const { list } = await open();
    assert.equal((await list(await issuer.sign(claimsOf()))).status, 200);
    issuer.fault = 'error';
    const before = issuer.requested.length;
    for (let i = 0; i < 20; i += 1)
      assert.equal((await list(await issuer.sign(claimsOf(), { kid: `${i}` }))).status, 401);
    issuer.fault = undefined;
    assert.deepEqual(issuer.requested.slice(before), [KEYS]);
  });

  test('tokens of other issuers cause none', async () => {
    const { list } = await open();
    assert.equal((await list(await issuer.sign(claimsOf()))).status, 200);
    const before = issuer.requested.length;
    await list(await issuer.sign(claimsOf({ iss: 'https://other.example.com' }), { kid: 'theirs' }));
    assert.equal(issuer.requested.length, before);
  });

  test('are rotated under load without a 401', async () => {
    const { list } = await open();
    let sent = 0;
    const statuses = new Set<number>();
    let rotated: Promise<void> | undefined;
    async function client(): Promise<void> {
      while (sent < REQUESTS) {
        sent += 1;
        if (sent === ROTATED_AFTER) rotated = issuer.rotate();
        statuses.add((await list(await issuer.sign(claimsOf({ jti: `${sent}` })))).status);
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, client));
    await rotated;
    assert.deepEqual([...statuses], [200]);
  });

  for (const fault of faults) {
    test(`before the first (${fault}) access tokens are 503, and API tokens work`, async () => {
      issuer.fault = fault;
      const { list, service, log, jwts } = await open({ ...NEVER, unknownMs: 50 });
      const { status, body, headers } = await list(await issuer.sign(claimsOf()));
      assert.deepEqual([status, JSON.parse(body).type], [503, 'urn:linecard:problem:unavailable']);
      assert.equal(headers['retry-after'], '1');
      assert.equal((await ownToken(service)).status, 200);
      await until(
        'a fetch has failed for that reason',
        () => log.some((line) => REASONS[fault].test(line)),
        () => log.join('\n'),
      );
      assert.equal(jwts.keysAgeSeconds, undefined);
      issuer.fault = undefined;
      await until('they are fetched', async () => (await list(await issuer.sign(claimsOf()))).status === 200);
      // One line for each reason of an outage, and one for its end.
      assert.match(log.pop() ?? '', /there again/);
      assert.equal(new Set(log).size, log.length);
    });

    test(`the last ones are used afterwards (${fault})`, async () => {
      const { list, jwts, log } = await open({ refreshMs: 50, unknownMs: 50 });
      await until(
        'the first are there',
        async () => (await list(await issuer.sign(claimsOf()))).status === 200,
      );
      issuer.fault = fault;
      await until(
        'a fetch has failed for that reason',
        () => log.some((line) => REASONS[fault].test(line)),
        () => log.join('\n'),
      );
      assert.equal((await list(await issuer.sign(claimsOf({ jti: fault })))).status, 200);
      assert.ok(Number(jwts.keysAgeSeconds) > 0);
      issuer.fault = undefined;
    });
  }

  test('are found by RFC 8414, or where a setting says', async () => {
    const { url } = issuer;
    const at = new URL(url);
    const other = await Issuer.open();
    opened.defer(() => other.close());
    other.documents = {
      [`/.well-known/oauth-authorization-server${at.pathname}`]: {
        issuer: other.url,
        jwks_uri: `${url}/keys`,
      },
    };
    assert.equal((await fetchKeys({ issuer: other.url })).url, `${url}/keys`);
    assert.equal(
      (await fetchKeys({ issuer: 'https://nowhere.invalid', jwksUrl: `${url}/keys` })).url,
      `${url}/keys`,
    );
    other.documents = { [`${at.pathname}/.well-known/openid-configuration`]: { issuer: url } };
    await assert.rejects(fetchKeys({ issuer: other.url }), /is of another issuer: set --jwt-issuer exactly/);
    const away = { issuer: other.url, jwks_uri: 'http://192.0.2.1/keys' };
    other.documents = { [`${at.pathname}/.well-known/openid-configuration`]: away };
    await assert.rejects(fetchKeys({ issuer: other.url }), /must be https/);
  });

  test('are fetched through the proxy that HTTPS_PROXY names, which an error names', async () => {
    const proxy = await openProxy({ port: 1, refusal: 403 });
    process.env['HTTPS_PROXY'] = proxy.url;
    try {
      await assert.rejects(
        fetchKeys({ issuer: '', jwksUrl: 'https://id.example.com/keys' }),
        /the proxy http:\/\/127\.0\.0\.1:\d+ \(HTTPS_PROXY\) was used, and it refuses to connect to this host/,
      );
      assert.deepEqual(proxy.requests, ['CONNECT id.example.com:443']);
      assert.equal(
        (await fetchKeys({ issuer: '', jwksUrl: `${issuer.url}/keys` })).url,
        `${issuer.url}/keys`,
      );
    } finally {
      delete process.env['HTTPS_PROXY'];
      proxy.close();
    }
  });
});

describe('serve with an identity provider', { concurrency: 2 }, () => {
  const env = { LINECARD_DATABASE_URL: `sqlite:${join(temporaryFolder(), 'lists.db')}` };
  let issuer: Issuer;
  let identity: string[];
  before(async () => {
    issuer = await Issuer.open();
    identity = ['--public-url', PUBLIC_URL, '--jwt-issuer', issuer.url];
    const made = await runProgram(['account', 'create', 'C1'], { env });
    assert.equal(made.status, 0, made.err);
  });
  after(() => {
    issuer.close();
    killPrograms();
  });

  test('several processes accept access tokens, count them, and log nothing of them', async () => {
    const words = ['serve', '--port', '0', '--workers', '2', '--metrics-port', '0', '--log-format', 'json'];
    const serving = await serveProgram([...words, ...identity], { env });
    const url = new URL(virtual_numbers.path, serving.url);
    const token = await issuer.sign(claimsOf({ secret: SECRET }));
    const ask = async (bearer: string) => {
      const headers = { authorization: `Bearer ${bearer}`, connection: 'close' };
      const answer = await fetch(url, { headers });
      return [answer.status, await answer.text()] as const;
    };
    for (let i = 0; i < 20; i += 1) assert.equal((await ask(token))[0], 200);
    const expired = await issuer.sign(claimsOf({ secret: SECRET, exp: 1 }));
    assert.match((await ask(expired))[1], /\(expired\)/);
    const [, metrics = ''] = await serving.says(/"url":"(http:[^"]*\/metrics)"/);
    const text = await (await fetch(metrics)).text();
    assert.match(text, /^linecard_jwt_total\{outcome="accepted"\} [12]$/m);
    assert.match(text, /^linecard_jwt_total\{outcome="expired"\} 1$/m);
    assert.match(text, /^linecard_jwks_age_seconds [\d.]+$/m);
    serving.child.kill('SIGTERM');
    const { err } = await serving.ended;
    assert.match(err, /"account_id":"C1"/);
    for (const part of [SECRET, ...token.split('.'), ...expired.split('.')]) assert.ok(!err.includes(part));
  });

  test('doctor fetches the keys and says what is wrong', async () => {
    const good = await runProgram(['doctor', ...identity], { env });
    assert.match(good.out, /^ok +identity +One key of http.*keys\.$/m);
    const words = ['doctor', '--json', '--public-url', PUBLIC_URL, '--jwt-issuer', `${issuer.url}/`];
    const { status, out } = await runProgram(words, { env });
    assert.equal(status, 1);
    const [found] = JSON.parse(out).findings.filter(({ check }: { check: string }) => check === 'identity');
    assert.equal(found.status, 'wrong');
    assert.match(found.says, /is of another issuer: set --jwt-issuer exactly as it says there/);
    assert.match(found.mend, /Check --jwt-issuer/);
  });

  for (const [words, sentence] of [
    [['--jwt-issuer', 'https://id.example.com'], /--jwt-issuer needs --public-url/],
    [['--jwt-scopes'], /--jwt-scopes has no effect without --jwt-issuer/],
    [
      ['--public-url', `${PUBLIC_URL}/`],
      /--public-url must be a URL such as .* without .* a slash at the end/,
    ],
    [
      ['--jwt-issuer', 'http://id.example.com'],
      /--jwt-issuer must be a URL such as .*https, or http to this/,
    ],
    [['--jwt-max-lifetime', '1s'], /--jwt-max-lifetime must be a number of minutes, hours/],
  ] as const) {
    test(`serve ${words.join(' ')} does not start and says why`, async () => {
      const { status, err } = await runProgram(['serve', ...words], { env });
      assert.equal(status, 2);
      assert.match(err, sentence);
    });
  }
});
