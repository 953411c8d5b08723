// The secrets that deliveries are signed with (Standard Webhooks 1.0): derived from the signing key of the
// deployment, so that none is stored.

import { hkdfSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { writtenText } from '@linecard/client/contract/written-text';
import { Failed } from '../../errors.ts';
import type { Webhook } from './webhooks.ts';

const KEY = /^[A-Za-z0-9+/]{43}=$/;
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

function keyOf(given: string): Buffer {
  if (KEY.test(given)) return Buffer.from(given, 'base64');
  const hint = 'Make one with: openssl rand -base64 32';
  // It is not shown: it may be a key with a mistake.
  if (!existsSync(given))
    throw new Failed(
      `The signing key (--signing-key or LINECARD_SIGNING_KEY) is neither 32 bytes in base64 nor the path of a file. ${hint}`,
    );
  const text = writtenText(readFileSync(given))?.trim() ?? '';
  if (KEY.test(text)) return Buffer.from(text, 'base64');
  throw new Failed(`The file of the signing key does not contain 32 bytes in base64. ${hint}`);
}

/**
 * The signing keys of the setting, the current one first.
 * @throws {Failed} if there is none, or one is not valid.
 */
export function signingKeys(given: readonly string[]): Buffer[] {
  if (given.length > 0) return given.map(keyOf);
  throw new Failed(
    'Secrets of webhooks are derived from a signing key, and there is none: set LINECARD_SIGNING_KEY to 32 random bytes in base64 (openssl rand -base64 32), or to a file with that. Give deliver, intake and the webhook commands the same.',
  );
}

/** HKDF-SHA256 (RFC 5869) of a key, with the id and the version in its info. */
function secretOf(key: Buffer, id: string, version: number): string {
  const bytes = hkdfSync('sha256', key, '', `linecard webhook ${id} ${version}`, SECRET_BYTES);
  return PREFIX + Buffer.from(bytes).toString('base64');
}

/**
 * The secrets that a delivery is signed with: the current one first, then those that receivers may still
 * have: of the version before while a rotation overlaps, and of the key before while that is changed.
 * @param keys the signing keys, the current one first.
 */
export function secretsOf(
  keys: readonly Buffer[],
  { id, secret_version, overlap_until }: Pick<Webhook, 'id' | 'secret_version' | 'overlap_until'>,
): string[] {
  const overlaps = overlap_until !== null && overlap_until > timestampOf();
  const versions = overlaps ? [secret_version, secret_version - 1] : [secret_version];
  return keys.flatMap((key) => versions.map((version) => secretOf(key, id, version)));
}
