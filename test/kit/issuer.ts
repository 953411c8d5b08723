// An identity provider on a loopback port that signs whatever a test wants, and whose answers can be wrong.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { listen } from './free-port.ts';

const LONG_BYTES = 10_000_000;

export type Claims = Record<string, unknown>;
export type Header = Record<string, unknown>;

interface Key {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: Record<string, unknown>;
}

/** What the issuer answers in place of its documents. */
const FAULTS = {
  html: (response: ServerResponse) => response.setHeader('content-type', 'text/html').end('<h1>Hello</h1>'),
  error: (response: ServerResponse) => response.writeHead(500).end('{}'),
  redirect: (response: ServerResponse) => response.writeHead(302, { location: '/elsewhere' }).end(),
  long: (response: ServerResponse) => response.end(`{"keys":[],"x":"${'x'.repeat(LONG_BYTES)}"}`),
  silent: () => {},
  empty: (response: ServerResponse) => response.end('{"keys":[]}'),
} as const;

export type Fault = keyof typeof FAULTS;
export const faults = Object.keys(FAULTS) as Fault[];

export class Issuer {
  readonly #server = createServer((request, response) => this.#answer(request, response));
  keys: Key[] = [];
  #signing: Key | undefined;
  fault: Fault | undefined;
  /** By path, in place of its own. */
  documents: Readonly<Record<string, unknown>> | undefined;
  /** The paths that were requested. */
  readonly requested: string[] = [];
  url = '';

  static async open(): Promise<Issuer> {
    const issuer = new Issuer();
    issuer.url = `http://127.0.0.1:${await listen(issuer.#server)}/realms/x`;
    issuer.#server.unref();
    await issuer.addKey('ES256', 'first');
    return issuer;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async addKey(alg: string, kid: string): Promise<Key> {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    const key = { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
    this.keys.push(key);
    return key;
  }

  /** Signs with a new key from now on, and publishes the old ones too. */
  async rotate(): Promise<void> {
    this.#signing = await this.addKey('ES256', `rotated ${this.keys.length}`);
  }

  /** Good claims, with these in addition or instead; `undefined` leaves one out. */
  claims(claims: Claims = {}): Claims {
    const now = Math.floor(Date.now() / 1_000);
    const usual = { iss: this.url, sub: 'ada', client_id: 'portal', iat: now, exp: now + 3_600 };
    return { ...usual, ...claims };
  }

  sign(
    claims: Claims = {},
    header: Header = {},
    key: Key | undefined = this.#signing ?? this.keys[0],
  ): Promise<string> {
    if (key === undefined) throw new Error('The issuer has no key.');
    const { alg, kid, privateKey } = key;
    const complete = { alg, kid, typ: 'at+jwt', ...header } as { alg: string };
    return new SignJWT(this.claims(claims)).setProtectedHeader(complete).sign(privateKey);
  }

  #answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
    this.requested.push(url);
    const isAnswered = this.fault === 'empty' && !url.endsWith('/keys');
    if (this.fault !== undefined && !isAnswered) {
      FAULTS[this.fault](response);
      return;
    }
    const { url: issuer } = this;
    const documents = this.documents ?? {
      '/realms/x/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/keys` },
      '/realms/x/keys': { keys: this.keys.map(({ jwk }) => jwk) },
    };
    const document = (documents as Record<string, unknown>)[url];
    if (document === undefined) response.writeHead(404).end();
    else response.end(JSON.stringify(document));
  }
}
