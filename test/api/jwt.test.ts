// Access tokens of the operator's identity provider, on every store: which are accepted, what they see, and
// what is said of those that are not.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { SignJWT, UnsecuredJWT } from 'jose';
import { MCP_PATH } from '../../api/contract/addresses.ts';
import { type JwtSettings, Jwts } from '../../server/http/jwt/jwt.ts';
import { disableAccount, enableAccount } from '../../server/store/access/accounts.ts';
import { move } from '../kit/account-tree.ts';
import { ACCOUNTS, hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { type Claims, type Header, Issuer } from '../kit/issuer.ts';
import { additional_services, virtual_numbers } from '../kit/model.ts';
import { openService, type Service, type ServiceAnswer, stores } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const PUBLIC_URL = 'https://numbers.example.com/lists';
const METADATA = `${PUBLIC_URL}/.well-known/oauth-protected-resource`;
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'];
const HOUR = 3_600;
const SECRET = 'nobody-may-read-this';
const KID_CHARACTERS = 9_000;

interface ToolAnswer {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: { readonly id?: string; readonly data?: readonly { readonly id: string }[] };
}

const now = () => Math.floor(Date.now() / 1_000);
const seconds = (offset: number) => now() + offset;

for (const kind of stores) {
  describe(`access tokens of an identity provider on ${kind.name}`, () => {
    let issuer: Issuer;
    let service: Service;
    let jwts: Jwts;
    const services: { service: Service; jwts: Jwts }[] = [];

    async function open(settings: Partial<JwtSettings> = {}): Promise<{ service: Service; jwts: Jwts }> {
      const identity: JwtSettings = {
        issuer: issuer.url,
        publicUrl: PUBLIC_URL,
        audiences: [PUBLIC_URL, `${PUBLIC_URL}/mcp`],
        maxLifetimeMs: 24 * HOUR * 1_000,
        accountClaim: 'ext.account',
        scopes: false,
        ...settings,
      };
      const opened = await Jwts.open(identity, {
        logger: { info() {}, warn() {} },
        times: { unknownMs: 100 },
      });
      await until('the keys are there', () => opened.keysAgeSeconds !== undefined);
      const options = { jwts: opened, protectedResource: identity, basePath: '/lists' };
      const made = {
        service: await openService(kind, { ...options, accounts: ACCOUNTS, rows: hardRows, currency: 'EUR' }),
        jwts: opened,
      };
      services.push(made);
      return made;
    }

    before(async () => {
      issuer = await Issuer.open();
      ({ service, jwts } = await open());
    });
    after(async () => {
      for (const one of services) {
        one.jwts.close();
        await one.service.close();
      }
      issuer.close();
    });

    const claimsOf = (claims: Claims = {}): Claims => ({
      aud: PUBLIC_URL,
      ext: { account: LARGE_ACCOUNT },
      secret: SECRET,
      ...claims,
    });
    const sign = (claims?: Claims, header?: Header) => issuer.sign(claimsOf(claims), header);
    const get = (url: string, token: string, on = service) =>
      on.send('GET', url, { authorization: `Bearer ${token}` });
    const list = (token: string, on = service) => get(virtual_numbers.path, token, on);

    /** Calls a tool of agents. */
    function post(name: string, token: string, given: object = {}): Promise<ServiceAnswer> {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      };
      const params = { name, arguments: given };
      const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      return service.send('POST', MCP_PATH, headers, message);
    }
    async function callTool(...of: Parameters<typeof post>): Promise<ToolAnswer> {
      const { body } = await post(...of);
      return JSON.parse(body.replace(/^event: message\ndata: /, '')).result;
    }

    /** Neither claims nor any part of the token are in an answer or in the log. */
    function mustBeSilent({ body, headers }: ServiceAnswer, token: string): void {
      const said = [body, JSON.stringify(headers), ...service.log].join('\n');
      assert.ok(!said.includes(SECRET));
      for (const part of token.split('.').filter((one) => one.length > 20))
        assert.ok(!said.includes(part.slice(0, 20)));
    }

    const bad: Readonly<Record<string, readonly [check: string, () => Promise<string> | string]>> = {
      'without a signature': [
        'signature',
        () => new UnsecuredJWT(issuer.claims(claimsOf())).encode().replace(/\.$/, '.x'),
      ],
      'with alg none': ['signature', () => new UnsecuredJWT(issuer.claims(claimsOf())).encode()],
      'with an HMAC': [
        'signature',
        () =>
          new SignJWT(issuer.claims(claimsOf()))
            .setProtectedHeader({ alg: 'HS256' })
            .sign(new TextEncoder().encode(JSON.stringify(issuer.keys[0]?.jwk))),
      ],
      'with a changed payload': [
        'signature',
        async () => {
          const [header, , signature] = (await sign()).split('.');
          const payload = JSON.stringify(issuer.claims(claimsOf({ sub: 'eve' })));
          return [header, Buffer.from(payload).toString('base64url'), signature].join('.');
        },
      ],
      'of an unknown key': ['signature', () => sign({}, { kid: 'unknown' })],
      'of another key with the same name': [
        'signature',
        async () => {
          const other = await Issuer.open();
          const token = await other.sign(issuer.claims(claimsOf()));
          other.close();
          return token;
        },
      ],
      'of another issuer': ['issuer', () => sign({ iss: `${issuer.url}/` })],
      'without an issuer': ['issuer', () => sign({ iss: undefined })],
      'for another service': ['audience', () => sign({ aud: 'https://other.example.com' })],
      'for nobody': ['audience', () => sign({ aud: undefined })],
      'for a list of others': ['audience', () => sign({ aud: ['account', 'https://other.example.com'] })],
      'that has expired': ['expired', () => sign({ iat: seconds(-HOUR), exp: seconds(-1) })],
      'that never expires': ['form', () => sign({ exp: undefined })],
      'that is not valid yet': ['not yet valid', () => sign({ nbf: seconds(HOUR / 2) })],
      'from the future': ['not yet valid', () => sign({ iat: seconds(HOUR / 2) })],
      'that is valid for too long': ['lifetime', () => sign({ exp: seconds(25 * HOUR) })],
      'that does not say since when': ['lifetime', () => sign({ iat: undefined })],
      'that is bound to a key': ['form', () => sign({ cnf: { jkt: 'x' } })],
      'of another type': ['form', () => sign({}, { typ: 'dpop+jwt' })],
      'with an extension that must be understood': ['form', () => sign({}, { crit: ['b64'], b64: true })],
      'that is an ID token by its type': ['form', () => sign({}, { typ: 'id_token' })],
      'of nobody': ['form', () => sign({ sub: undefined, client_id: undefined })],
      'longer than 8 KiB': ['form', () => sign({ padding: 'x'.repeat(KID_CHARACTERS) })],
      'that is not JSON': ['form', () => 'abc.def.ghi'],
    };

    for (const [name, [check, make]] of Object.entries(bad)) {
      test(`one ${name} is refused: ${check}`, async () => {
        const token = await make();
        const answer = await list(token);
        assert.equal(answer.status, 401, answer.body);
        const { type, detail } = JSON.parse(answer.body);
        assert.equal(type, 'urn:linecard:problem:unauthenticated');
        assert.match(detail, new RegExp(`^The access token is not valid \\(${check}\\): `));
        assert.equal(
          answer.headers['www-authenticate'],
          `Bearer error="invalid_token", error_description="${detail}", resource_metadata="${METADATA}"`,
        );
        mustBeSilent(answer, token);
      });
    }

    for (const alg of ALGORITHMS) {
      test(`one that is signed with ${alg} is accepted`, async () => {
        const key = await issuer.addKey(alg, `accepted ${alg}`);
        const { service: other } = await open();
        const answer = await list(await issuer.sign(claimsOf(), {}, key), other);
        assert.equal(answer.status, 200, answer.body);
      });
    }

    test('the header names no key that is fetched or used', async () => {
      const other = await Issuer.open();
      const [key] = other.keys;
      const named = { jku: `${other.url}/keys`, x5u: `${other.url}/x5u`, jwk: key?.jwk, x5c: ['MIIB'] };
      const forged = await other.sign(issuer.claims(claimsOf()), { ...named, kid: 'theirs' });
      assert.equal((await list(forged)).status, 401);
      // They are ignored in a token that is signed with a key of the issuer.
      assert.equal((await list(await sign({}, named))).status, 200);
      assert.deepEqual(other.requested, []);
      other.close();
    });

    test('one for several services, within 30 seconds of the clock, or without a type is accepted', async () => {
      const soon = seconds(20);
      for (const token of [
        await sign({ aud: ['account', `${PUBLIC_URL}/mcp`] }),
        await sign({ nbf: soon, iat: soon }),
        await sign({}, { typ: undefined }),
        await sign({}, { typ: 'JWT' }),
        await sign({}, { kid: undefined }),
      ]) {
        const { status, body } = await list(token);
        assert.equal(status, 200, body);
      }
    });

    test('it sees what an API token of its account sees, to the byte', async () => {
      const token = await sign();
      for (const path of [`${virtual_numbers.path}?page_size=20`, `${additional_services.path}.csv`]) {
        const [mine, theirs] = [await get(path, token), await service.ask(LARGE_ACCOUNT, path)];
        assert.deepEqual([mine.status, mine.body], [200, theirs.body]);
        assert.equal(mine.headers['etag'], theirs.headers['etag']);
      }
    });

    test('the account says whose token it is', async () => {
      const exp = seconds(HOUR);
      const answer = await get('/api/v1/account', await sign({ exp }));
      assert.equal(answer.status, 200, answer.body);
      const { id, token } = JSON.parse(answer.body);
      assert.equal(id, LARGE_ACCOUNT);
      assert.match(token.id, /^[\w-]{16}$/);
      assert.equal(token.name, 'portal');
      assert.equal(Date.parse(token.expires_at), exp * 1_000);
      const [same, other] = [
        await get('/api/v1/account', await sign({ jti: 'another' })),
        await get('/api/v1/account', await sign({ sub: 'bob', client_id: undefined, azp: 'cli' })),
      ];
      assert.equal(JSON.parse(same.body).token.id, token.id);
      assert.notEqual(JSON.parse(other.body).token.id, token.id);
      assert.equal(JSON.parse(other.body).token.name, 'cli');
    });

    test('without an account that exists it is forbidden', async () => {
      for (const account of ['nobody', '', 7.5, 41, true, null, {}, 'a\0b', Array(51).fill(LARGE_ACCOUNT)]) {
        const token = await sign({ ext: { account } });
        const answer = await list(token);
        assert.equal(answer.status, 403, answer.body);
        mustBeSilent(answer, token);
      }
      assert.equal((await list(await sign({ ext: undefined }))).status, 403);
    });

    test('an account that is disabled ends it, and one that is enabled brings it back', async () => {
      const [account] = ACCOUNTS;
      assert.ok(account);
      const token = await sign({ ext: { account } });
      assert.equal((await list(token)).status, 200);
      await disableAccount(service.operator, account);
      await until('it is disabled', async () => (await list(token)).status === 403);
      await enableAccount(service.operator, account);
      await until('it is enabled', async () => (await list(token)).status === 200);
    });

    test('one for several accounts reads the one that is named', async () => {
      const [, other] = ACCOUNTS;
      const token = await sign({ ext: { account: [LARGE_ACCOUNT, other, 'nobody'] } });
      const read = (path: string, account?: string) =>
        service.send('GET', path, {
          authorization: `Bearer ${token}`,
          ...(account !== undefined && { 'linecard-account': encodeURIComponent(account) }),
        });
      const undecided = await read(virtual_numbers.path);
      assert.equal(undecided.status, 403);
      assert.match(JSON.parse(undecided.body).detail, /say which with the header Linecard-Account/);
      for (const account of [LARGE_ACCOUNT, other]) {
        const [mine, theirs] = [
          await read(virtual_numbers.path, account),
          await service.ask(account, virtual_numbers.path),
        ];
        assert.deepEqual([mine.status, mine.body], [200, theirs.body]);
        assert.equal(JSON.parse((await read('/api/v1/account', account)).body).id, account);
        const below = await read('/api/v1/accounts', account);
        assert.equal(below.status, 403);
        assert.match(String(below.headers['www-authenticate']), /scope="linecard:tree"/);
      }
      for (const account of ['nobody', 'of others'])
        assert.equal((await read(virtual_numbers.path, account)).status, 403);
      const page = async (query: string) => JSON.parse((await read(`/api/v1/accounts${query}`)).body);
      const ids = [LARGE_ACCOUNT, other].toSorted();
      const all = await page('');
      assert.deepEqual([all.total, all.data.map(({ id }: { id: string }) => id)], [2, ids]);
      const { virtual_numbers: count } = JSON.parse((await read('/api/v1/account', ids[0])).body);
      assert.equal(all.data[0].virtual_numbers, count);
      assert.deepEqual((await page('?page_size=1&page=2')).data[0].id, ids[1]);
      const found = await page(`?q=${encodeURIComponent(LARGE_ACCOUNT)}`);
      assert.ok(found.data.some(({ id }: { id: string }) => id === LARGE_ACCOUNT));
      assert.equal((await page('?q=none')).total, 0);
      const { headers } = await read('/api/v1/accounts');
      const again = { authorization: `Bearer ${token}`, 'if-none-match': String(headers['etag']) };
      const unchanged = await service.send('GET', '/api/v1/accounts', { ...again, prefer: 'wait=1' });
      assert.equal(unchanged.status, 304, unchanged.body);
    });

    test('one for several accounts lets an agent name the account of each call', async () => {
      const [, other] = ACCOUNTS;
      const token = await sign({ ext: { account: [LARGE_ACCOUNT, other] } });
      const answer = await callTool('accounts', token);
      assert.deepEqual(
        answer.structuredContent?.data?.map(({ id }) => id),
        [LARGE_ACCOUNT, other].toSorted(),
      );
      assert.match(
        (await callTool('account', token)).content[0]?.text ?? '',
        /say which with the argument account/,
      );
      assert.equal((await callTool('account', token, { account: other })).structuredContent?.id, other);
    });

    test('a bad one is sent from the tools of agents to their own metadata', async () => {
      const { status, headers } = await post('account', await sign({ exp: 1 }));
      assert.equal(status, 401);
      assert.match(
        headers['www-authenticate'] ?? '',
        /^Bearer error="invalid_token", error_description="[^"]+", resource_metadata="[^"]+\/oauth-protected-resource\/mcp"$/,
      );
    });

    test('its scope linecard:tree reaches the accounts below', async () => {
      const [parent = '', child = ''] = ACCOUNTS.filter((id) => id !== LARGE_ACCOUNT);
      await move(service.operator, child, parent);
      const read = async (claims: Claims) =>
        service.send('GET', virtual_numbers.path, {
          authorization: `Bearer ${await sign({ ext: { account: parent }, ...claims })}`,
          'linecard-account': encodeURIComponent(child),
        });
      const lacking = await read({});
      assert.equal(lacking.status, 403);
      assert.match(String(lacking.headers['www-authenticate']), /insufficient_scope.*scope="linecard:tree"/);
      for (const account of [parent, [parent, 'nobody']]) {
        assert.equal((await read({ ext: { account } })).status, 403);
        const { status, body } = await read({ scp: 'openid linecard:tree', ext: { account } });
        assert.deepEqual([status, body], [200, (await service.ask(child, virtual_numbers.path)).body]);
      }
    });

    test('with scopes it sees what they name, and a 403 says which is missing', async () => {
      const { service: scoped } = await open({ scopes: true, accountClaim: 'https://example.com/account' });
      const with_ = async (claims: Claims) =>
        issuer.sign(claimsOf({ 'https://example.com/account': LARGE_ACCOUNT, ...claims }));
      const numbers = await with_({ scope: 'openid linecard:virtual_numbers' });
      const all = await with_({
        scp: ['linecard:virtual_numbers', 'linecard:additional_services', 'linecard:charges'],
      });
      const account = JSON.parse((await get('/api/v1/account', numbers, scoped)).body);
      assert.deepEqual([account.additional_services, account.currency], [null, null]);
      assert.deepEqual(account.token.lists, ['virtual_numbers']);
      const one = JSON.parse((await list(numbers, scoped)).body).data[0];
      assert.ok(!('monthly' in one));
      assert.equal((await get(additional_services.path, all, scoped)).status, 200);
      for (const [path, scope] of [
        [additional_services.path, 'linecard:additional_services'],
        [`${virtual_numbers.path}?sort_by=monthly`, 'linecard:charges'],
      ] as const) {
        const { status, headers } = await get(path, numbers, scoped);
        assert.equal(status, 403);
        assert.equal(
          headers['www-authenticate'],
          `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${METADATA}"`,
        );
      }
      assert.equal((await list(await with_({}), scoped)).status, 403);
    });

    test('API tokens go on, and what is no JWT is refused as before', async () => {
      assert.equal((await service.ask(LARGE_ACCOUNT, virtual_numbers.path)).status, 200);
      const answer = await list('lc_wrong');
      assert.match(JSON.parse(answer.body).detail, /^The API token is malformed/);
      assert.equal(answer.headers['www-authenticate'], `Bearer resource_metadata="${METADATA}"`);
    });

    test('the name that one is cached by is no token', async () => {
      const token = await sign();
      const name = hash('sha256', token, 'base64url');
      assert.equal((await list(token)).status, 200);
      const { status } = await service.send('GET', virtual_numbers.path, { authorization: name });
      assert.equal(status, 401);
    });

    test('clients find the identity provider', async () => {
      for (const [path, resource] of [
        ['/.well-known/oauth-protected-resource', PUBLIC_URL],
        ['/.well-known/oauth-protected-resource/mcp', `${PUBLIC_URL}/mcp`],
        ['/lists/.well-known/oauth-protected-resource/mcp', `${PUBLIC_URL}/mcp`],
        ['/.well-known/oauth-protected-resource/lists', PUBLIC_URL],
        ['/.well-known/oauth-protected-resource/lists/mcp', `${PUBLIC_URL}/mcp`],
      ] as const) {
        const { status, body, headers } = await service.send('GET', path);
        assert.equal(status, 200, path);
        assert.match(String(headers['content-type']), /^application\/json/);
        assert.deepEqual(JSON.parse(body), {
          resource,
          authorization_servers: [issuer.url],
          scopes_supported: ['linecard:tree'],
          bearer_methods_supported: ['header'],
          resource_name: 'Linecard',
          resource_documentation: `${PUBLIC_URL}/docs`,
        });
      }
      const { status } = await service.send('GET', '/.well-known/oauth-authorization-server');
      assert.equal(status, 404);
    });

    test('checks are counted by outcome', async () => {
      const before = { ...jwts.outcomes };
      const token = await sign({ jti: 'counted' });
      for (let i = 0; i < 3; i += 1) assert.equal((await list(token)).status, 200);
      await list(await sign({ aud: 'other', jti: 'counted' }));
      assert.equal(jwts.outcomes.accepted, before.accepted + 1);
      assert.equal(jwts.outcomes.audience, before.audience + 1);
    });
  });
}
