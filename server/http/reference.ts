// The routes of the reference: HTML, Markdown and llms.txt, with the public URL in their examples, or that of
// the request; and how a prepared text is sent.

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { REFERENCE_PATHS } from '@linecard/client/contract/addresses';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { limits } from '../limits/limits.ts';
import { refusal } from '../limits/refusal.ts';
import { secondsOf, WindowCounts } from '../limits/window.ts';
import { VERSION } from '../version.ts';
import { acceptsCoding } from './accept.ts';
import { addVary, sendNotModified } from './answer-headers.ts';
import { type Brand, OWN_BRAND, styleOf } from './brand.ts';
import { type Described, madeOnce } from './described.ts';
import { networkOf, peerOf } from './peer.ts';

/** A host with an optional port (RFC 3986, section 3.2), without characters that shells or HTML interpret. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;
const SCHEMES: readonly string[] = ['http', 'https'];

/** The URL of the service as the client sees it; `undefined` if it is not safe to insert. */
function urlOf({ headers }: FastifyRequest, basePath: string): string | undefined {
  const { host = '', 'x-forwarded-proto': forwarded } = headers;
  // With several proxies, the first value is that of the one the client connected to.
  const [first] = String(forwarded).split(',', 1);
  const scheme = SCHEMES.find((one) => one === first) ?? 'http';
  return HOST.test(host) ? `${scheme}://${host.toLowerCase()}${basePath}` : undefined;
}

export interface Prepared {
  readonly etag: string;
  readonly plain: Buffer;
  readonly gzipped: Promise<Buffer>;
}

/** Clients choose the origin, so only the latest few are cached. */
const MAX_ORIGINS = 8;
const gzipped = promisify(gzip);

export function prepare(text: string): Prepared {
  const plain = Buffer.from(text);
  const digest = createHash('sha256').update(plain).digest('base64url');
  return { etag: `${VERSION}-${digest}`, plain, gzipped: gzipped(plain) };
}

/** Sends a text that is the same for all, compressed where the client takes gzip, or 304. */
export async function sendPrepared(
  request: FastifyRequest,
  reply: FastifyReply,
  { etag, plain, gzipped }: Prepared,
): Promise<FastifyReply> {
  const isGzipped = acceptsCoding(request.headers['accept-encoding'], 'gzip');
  const tag = `"${etag}${isGzipped ? '-gzip' : ''}"`;
  addVary(reply, 'Accept-Encoding');
  if (sendNotModified(request, reply, tag)) return reply;
  if (isGzipped) reply.header('content-encoding', 'gzip');
  return reply.header('etag', tag).send(isGzipped ? await gzipped : plain);
}

export interface ReferenceSettings {
  readonly described: () => Described;
  /** The `Link` of what describes the service. */
  readonly links: string;
  readonly hasAgents: boolean;
  readonly basePath?: string;
  readonly brand?: Brand;
  /** The address of the font of the console, if there is one. */
  readonly font?: string | undefined;
  /** Where customers are, if the operator says it: then `Host` says nothing. */
  readonly publicUrl?: string | undefined;
}

/** Prepares a text once for each of the latest URLs. */
function preparedByUrl() {
  const byUrl = new Map<string | undefined, Prepared>();
  return (url: string | undefined, write: (url?: string) => string): Prepared => {
    const found = byUrl.get(url) ?? prepare(write(url));
    byUrl.delete(url);
    byUrl.set(url, found);
    const [oldest] = byUrl.keys();
    if (byUrl.size > MAX_ORIGINS) byUrl.delete(oldest);
    return found;
  };
}

/** What is described, and what writes it, are loaded at the first request: many processes get none. */
export function addReference(
  app: FastifyInstance,
  { described, links, hasAgents, basePath = '', brand = OWN_BRAND, font, publicUrl }: ReferenceSettings,
): void {
  const { logo, logoDark, supportUrl } = brand;
  const addresses = [logo, logoDark].flatMap((one) => (one === undefined ? [] : [basePath + one.path]));
  const look = {
    hasAgents,
    font,
    style: styleOf(brand),
    logos: addresses,
    isWide: logo?.isWide === true,
    supportUrl,
  };
  const counts = new WindowCounts(limits.reference.each);
  const onRequest: onRequestHookHandler = (request, _reply, done) => {
    const { count, leftMs } = counts.count(networkOf(peerOf(request)));
    if (count > limits.reference.each) throw refusal(limits.reference, 'each', secondsOf(leftMs));
    done();
  };
  const written = madeOnce(described, async ({ document, guide }) => {
    const writer = import('../reference/reference.ts');
    const [{ references }, loaded, sections] = await Promise.all([writer, document(), guide()]);
    return references(loaded, sections, look);
  });
  for (const path of REFERENCE_PATHS) {
    const prepared = madeOnce(described, preparedByUrl);
    app.get(path, { onRequest }, async (request, reply) => {
      const preparedFor = prepared();
      const { headers, write } = (await written())[path];
      reply.headers({ ...headers, link: [headers['link'] ?? [], links].flat().join(', ') });
      if (publicUrl === undefined) addVary(reply, 'X-Forwarded-Proto');
      return sendPrepared(request, reply, preparedFor(publicUrl ?? urlOf(request, basePath), write));
    });
  }
}
