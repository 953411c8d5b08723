// Fetches the keys of an issuer: finds where they are by OpenID Connect Discovery, then by RFC 8414, unless a
// setting says so. `doctor` does the same once.

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { reasonOf, ThroughProxy } from '@linecard/client/client/failure';
import { throughProxy } from '@linecard/client/client/proxy';
import type { JSONWebKeySet, JWK } from 'jose';
import { WrongUsage } from '../../errors.ts';
import { outgoing } from '../../outgoing.ts';
import { isSafeUrl } from '../../settings/identity.ts';

const FETCH_MILLISECONDS = 5_000;
const MAX_BYTES = 262_144;
const ASYMMETRIC: readonly unknown[] = ['RSA', 'EC', 'OKP'];

export interface KeySource {
  readonly issuer: string;
  /** Replaces discovery. */
  readonly jwksUrl?: string | undefined;
}

export interface FetchedKeys {
  readonly url: string;
  readonly jwks: JSONWebKeySet;
}

/** The keys could not be fetched; the message says why. */
export class NoKeys extends Error {
  override readonly name = 'NoKeys';
}

async function limitedText(url: string, body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > MAX_BYTES) throw new NoKeys(`${url} answers with more than 256 KiB.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function faultOf(url: string, error: unknown, signal: AbortSignal): Error {
  if (error instanceof NoKeys || error instanceof WrongUsage) return error;
  if (signal.aborted) return new NoKeys(`${url} did not answer within 5 seconds.`);
  const { code, message } = error as NodeJS.ErrnoException;
  const reason = error instanceof ThroughProxy ? reasonOf(error) : (code ?? message);
  return new NoKeys(`${url} cannot be reached: ${reason}.`);
}

/** The answer to a request. A redirect is not followed: it could lead to http, or into this network. */
async function answerOf(url: string, signal: AbortSignal): Promise<IncomingMessage> {
  const { request, proxy } = outgoing(new URL(url), { signal, headers: { accept: 'application/json' } });
  try {
    const [answer] = (await once(request.end(), 'response')) as [IncomingMessage];
    return answer;
  } catch (error) {
    throw proxy === undefined ? error : throughProxy(proxy, error);
  }
}

async function fetchObject(url: string, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
  if (!isSafeUrl(url)) throw new NoKeys('The URL of the keys must be https, or http to this machine.');
  let text: string;
  try {
    const answer = await answerOf(url, signal);
    if (answer.statusCode !== 200) {
      answer.destroy();
      throw new NoKeys(`${url} answers with status ${answer.statusCode}.`);
    }
    text = await limitedText(url, answer);
  } catch (error) {
    throw faultOf(url, error, signal);
  }
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null) return { ...parsed };
  } catch {
    // The message would quote what was received.
  }
  throw new NoKeys(`${url} does not answer with a JSON object.`);
}

/** The addresses of a discovery document (OpenID Connect Discovery, section 4; RFC 8414, section 3). */
function discoveryUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
}

async function discovered(url: string, issuer: string, signal: AbortSignal): Promise<string> {
  const { issuer: named, jwks_uri } = await fetchObject(url, signal);
  if (typeof named !== 'string') throw new NoKeys(`${url} is no discovery document: it names no issuer.`);
  if (named !== issuer)
    throw new NoKeys(`${url} is of another issuer: set --jwt-issuer exactly as it says there.`);
  if (typeof jwks_uri !== 'string') throw new NoKeys(`${url} has no jwks_uri.`);
  return jwks_uri;
}

async function jwksUrlOf({ issuer, jwksUrl }: KeySource, signal: AbortSignal): Promise<string> {
  if (jwksUrl !== undefined) return jwksUrl;
  const reasons: string[] = [];
  for (const url of discoveryUrls(issuer)) {
    try {
      return await discovered(url, issuer, signal);
    } catch (error) {
      if (!(error instanceof NoKeys) || signal.aborted) throw error;
      reasons.push(error.message);
    }
  }
  throw new NoKeys(reasons.join(' '));
}

const isSigningKey = (key: unknown): key is JWK =>
  typeof key === 'object' && key !== null && 'kty' in key && ASYMMETRIC.includes(key.kty);

/**
 * The keys of an issuer, within 5 seconds.
 * @param knownUrl where they were before; `undefined` to find out again.
 * @throws {NoKeys}
 */
export async function fetchKeys(source: KeySource, knownUrl?: string): Promise<FetchedKeys> {
  const signal = AbortSignal.timeout(FETCH_MILLISECONDS);
  const url = knownUrl ?? (await jwksUrlOf(source, signal));
  const { keys } = await fetchObject(url, signal);
  // A set without keys would refuse every token: an error of the issuer, not a rotation.
  const usable = Array.isArray(keys) ? keys.filter(isSigningKey) : [];
  if (usable.length === 0) throw new NoKeys(`${url} has no public key that signatures can be checked with.`);
  return { url, jwks: { keys: usable } };
}
