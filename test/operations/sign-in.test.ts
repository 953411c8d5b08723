// A sign-in from end to end with a real identity provider (oidc-provider): discovery, an authorization code
// with PKCE, an access token for Linecard, and keys that are rotated; by hand, and by the official clients of
// agents, which know the address of the tools alone.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { after, before, describe, test } from 'node:test';
import type { OAuthClientProvider, OAuthTokens } from '@modelcontextprotocol/client';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';
import { MCP_PATH } from '../../api/contract/addresses.ts';
import { Jwts } from '../../server/http/jwt/jwt.ts';
import { agents } from '../kit/agent.ts';
import { listen } from '../kit/free-port.ts';
import { additional_services, virtual_numbers } from '../kit/model.ts';
import { type Method, openService, type Service, stores } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const PUBLIC_URL = 'https://numbers.example.com';
const REDIRECT = 'https://portal.example.com/signed-in';
const SCOPES = 'linecard:virtual_numbers linecard:charges';
const CLIENT = 'portal';
const MAX_STEPS = 12;
const [kind] = stores;
assert.ok(kind);

async function jsonOf(answer: Response): Promise<Record<string, string>> {
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return JSON.parse(text);
}

const keyIdOf = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;

async function newKey(): Promise<NonNullable<Configuration['jwks']>['keys'][number]> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const kid = randomBytes(6).toString('hex');
  return { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' };
}

/** The account of each user is in the claim `account_id`. */
function providerOf(issuer: string, keys: NonNullable<Configuration['jwks']>['keys']): RequestListener {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT,
        redirect_uris: [REDIRECT],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code'],
      },
    ],
    jwks: { keys },
    cookies: { keys: ['test'] },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    extraTokenClaims: (_context, token) => ({
      account_id: `account of ${'accountId' in token ? token.accountId : ''}`,
    }),
    features: {
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, audience) => ({
          scope: SCOPES,
          audience,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  const answer = provider.callback();
  return (request, response) => void answer(request, response);
}

/** A browser that signs in and consents wherever it is asked to. */
class Browser {
  readonly #cookies = new Map<string, string>();

  async #send(url: string, form?: Readonly<Record<string, string>>): Promise<Response> {
    const cookie = Array.from(this.#cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const set of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (set.split(';')[0] ?? '').split('=');
      this.#cookies.set(name, value);
    }
    return answer;
  }

  /** What the client is sent: a code, and whose it is. */
  async signIn(start: string, login: string): Promise<URLSearchParams> {
    let url = start;
    let form: Record<string, string> | undefined;
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const answer = await this.#send(url, form);
      form = undefined;
      const location = answer.headers.get('location');
      if (location === null) {
        const page = await answer.text();
        assert.equal(answer.status, 200, page);
        const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? assert.fail(page);
        form = { prompt, login, password: 'any' };
        continue;
      }
      url = new URL(location, url).href;
      if (url.startsWith(REDIRECT)) return new URL(url).searchParams;
    }
    return assert.fail('The sign-in does not end.');
  }
}

/** The credentials of an agent: none, until somebody has signed in. */
class Credentials implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' };
  /** Where somebody must sign in. */
  url: URL | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = '';

  clientInformation() {
    return { client_id: CLIENT };
  }
  tokens() {
    return this.#tokens;
  }
  saveTokens(tokens: OAuthTokens) {
    this.#tokens = tokens;
  }
  redirectToAuthorization(url: URL) {
    this.url = url;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier() {
    return this.#verifier;
  }
}

describe('a sign-in with an identity provider', () => {
  let answer: RequestListener;
  let issuer: string;
  let service: Service;
  const opened = new AsyncDisposableStack();
  const keys: NonNullable<Configuration['jwks']>['keys'][number][] = [];

  before(async () => {
    const server = createServer((request, response) => answer(request, response));
    issuer = `http://127.0.0.1:${await listen(server)}`;
    opened.defer(() => {
      server.closeAllConnections();
      server.close();
    });
    keys.push(await newKey());
    answer = providerOf(issuer, keys);
    const identity = {
      issuer,
      publicUrl: PUBLIC_URL,
      audiences: [PUBLIC_URL, PUBLIC_URL + MCP_PATH],
      maxLifetimeMs: 86_400_000,
      accountClaim: 'account_id',
      scopes: true,
    };
    const jwts = await Jwts.open(identity, { logger: { info() {}, warn() {} }, times: { unknownMs: 100 } });
    opened.defer(() => jwts.close());
    await until('the keys are there', () => jwts.keysAgeSeconds !== undefined);
    assert.ok(kind);
    const accounts = ['account of ada', 'account of bob'];
    service = await openService(kind, { accounts, jwts, protectedResource: identity, publicUrl: PUBLIC_URL });
    opened.defer(() => service.close());
  });
  after(() => opened.disposeAsync());

  const get = (path: string, token?: string) =>
    service.send('GET', path, token === undefined ? {} : { authorization: `Bearer ${token}` });

  /** As a client does that knows the address of Linecard alone. */
  async function accessToken(login: string): Promise<string> {
    const { headers } = await get(virtual_numbers.path);
    const [, url = ''] = /resource_metadata="([^"]+)"/.exec(headers['www-authenticate'] ?? '') ?? [];
    const metadata = JSON.parse((await get(url.slice(PUBLIC_URL.length))).body);
    const [server] = metadata.authorization_servers;
    const found = await jsonOf(await fetch(`${server}/.well-known/openid-configuration`));
    const code_verifier = randomBytes(32).toString('base64url');
    const { resource } = metadata;
    const question = new URLSearchParams({
      client_id: CLIENT,
      response_type: 'code',
      redirect_uri: REDIRECT,
      scope: SCOPES,
      resource,
      code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const sent = await new Browser().signIn(`${found['authorization_endpoint']}?${question}`, login);
    const code = sent.get('code') ?? assert.fail(String(sent));
    const grant = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, client_id: CLIENT };
    const body = new URLSearchParams({ ...grant, code_verifier, resource });
    const answered = await fetch(String(found['token_endpoint']), { method: 'POST', body });
    const { access_token } = await jsonOf(answered);
    return access_token ?? assert.fail();
  }

  test('shows each user the lists of their account, as the scopes allow', async () => {
    for (const login of ['ada', 'bob']) {
      const token = await accessToken(login);
      const { status, body } = await get('/api/v1/account', token);
      assert.equal(status, 200, body);
      const account = JSON.parse(body);
      assert.equal(account.id, `account of ${login}`);
      const { name, lists, charges, reach } = account.token;
      assert.deepEqual([name, lists, charges, reach], [CLIENT, ['virtual_numbers'], true, 'account']);
      assert.equal((await get(virtual_numbers.path, token)).status, 200);
      assert.equal((await get(additional_services.path, token)).status, 403);
    }
  });

  /** Reaches the service by its public address, and everything else as it is. */
  async function fetchPublic(to: string | URL, init: RequestInit = {}): Promise<Response> {
    const { origin, pathname } = new URL(to);
    if (origin !== PUBLIC_URL) return fetch(to, init);
    const headers = Object.fromEntries(new Headers(init.headers));
    const text = init.body ? await new Response(init.body).text() : undefined;
    const {
      status,
      body,
      headers: sent,
    } = await service.send(init.method as Method, pathname, headers, text);
    return new Response(body === '' ? null : body, { status, headers: sent });
  }

  for (const [era, connect] of Object.entries(agents)) {
    test(`is what an agent needs (${era})`, async () => {
      const credentials = new Credentials();
      const options = { authProvider: credentials, fetch: fetchPublic };
      const agent = await connect(PUBLIC_URL + MCP_PATH, options, async () => {
        const { url } = credentials;
        assert.equal(url?.searchParams.get('resource'), PUBLIC_URL + MCP_PATH);
        return new Browser().signIn(String(url), 'ada');
      });
      assert.equal((await agent.call('account')).content?.['id'], 'account of ada');
      assert.ok(!(await agent.call('virtual_numbers_list')).isError);
      const services = await agent.call('additional_services_list');
      assert.deepEqual(
        [services.isError, services.text],
        [true, 'This token may not see additional services.'],
      );
      await agent.close();
    });
  }

  test('goes on while the keys are rotated', async () => {
    const old = await accessToken('ada');
    keys.unshift(await newKey());
    answer = providerOf(issuer, keys);
    const fresh = await accessToken('bob');
    assert.notEqual(keyIdOf(fresh), keyIdOf(old));
    for (const token of [old, fresh]) assert.equal((await get(virtual_numbers.path, token)).status, 200);
  });

  test('is refused to those who have no account', async () => {
    const { status } = await get(virtual_numbers.path, await accessToken('eve'));
    assert.equal(status, 403);
  });
});
