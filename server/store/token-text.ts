// The text of a token (docs/generated/api.md, "Account and authentication"): a prefix, random characters and
// a checksum.

import { createCipheriv, hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The prefixes of tokens: of customers, and of operators. */
export type TokenPrefix = 'lc_' | 'lco_';

const RANDOM_CHARACTERS = 36;
const CHECKSUM_CHARACTERS = 6;
const ID_CHARACTERS = 12;
const RANDOM_BYTES_AT_ONCE = 16_384;
const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BODY = /^[0-9A-Za-z]{42}$/;

/** Where random bytes come from. */
export type RandomBytes = (size: number) => Uint8Array;

/** Random bytes that come again, in their order, of the same 32 random bytes: the key of a stream cipher. */
export function repeatableBytes(key: Uint8Array): RandomBytes {
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  const zeros = Buffer.alloc(RANDOM_BYTES_AT_ONCE);
  let block = cipher.update(zeros);
  return (size) => {
    if (block.length < size) block = cipher.update(zeros);
    const bytes = block.subarray(0, size);
    block = block.subarray(size);
    return bytes;
  };
}

function randomText(length: number, random: RandomBytes): string {
  // Bytes from 248 on are dropped, so that every character is equally likely.
  let text = '';
  while (text.length < length) {
    for (const byte of random(2 * length)) {
      if (byte < 248 && text.length < length) text += BASE_62[byte % 62];
    }
  }
  return text;
}

/** CRC-32 in base 62: shows a mistyped token, and marks a leaked one for scanners. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_CHARACTERS; i++) {
    digits = BASE_62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

export function newToken(prefix: TokenPrefix, random: RandomBytes = randomBytes): string {
  const body = prefix + randomText(RANDOM_CHARACTERS, random);
  return body + checksum(body);
}

/** The id of a token, for where the token itself must not be shown. */
export function newTokenId(random: RandomBytes = randomBytes): string {
  return randomText(ID_CHARACTERS, random);
}

/** Whether a text has the form of a token and its checksum is right. */
export function isTokenText(text: string, prefix: TokenPrefix): boolean {
  return (
    text.startsWith(prefix) &&
    BODY.test(text.slice(prefix.length)) &&
    checksum(text.slice(0, -CHECKSUM_CHARACTERS)) === text.slice(-CHECKSUM_CHARACTERS)
  );
}

/** What is wrong with a text that is no token, from its form alone; follows "is malformed: ". */
export function tokenFault(text: string, prefix: TokenPrefix): string {
  const length = prefix.length + RANDOM_CHARACTERS + CHECKSUM_CHARACTERS;
  const form = `it must be \`${prefix}\` and ${length - prefix.length} letters and digits`;
  if (!text.startsWith(prefix)) return `${form}, including a checksum.`;
  if (text.length < length)
    return `it is cut off, with ${text.length} of its ${length} characters. Copy all of it.`;
  if (text.length > length || !BODY.test(text.slice(prefix.length)))
    return `${form}, and this has other characters, or more. Copy it again.`;
  return 'a character of it is wrong, as its checksum shows. Copy it again.';
}

/** What is stored of a token. It has 214 random bits, so a plain hash is as strong as a slow one. */
export function hashOfToken(token: string): string {
  return hash('sha256', token);
}
