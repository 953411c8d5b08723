// A receiver of webhooks on a loopback port, over TLS with a certificate of its own authority.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { listen } from './free-port.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The names that its certificate is for. */
const NAMES = 'subjectAltName=DNS:receiver.example,DNS:localhost,IP:127.0.0.1,IP:127.0.0.2';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** Where `cert` is. */
  readonly file: string;
}

let made: Certificate | undefined;

/** One for all tests of a process; it is its own authority. */
export function testCertificate(): Certificate {
  if (made !== undefined) return made;
  const folder = temporaryFolder();
  const words = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const subject = ['-subj', '/CN=receiver.example', '-addext', NAMES];
  const out = ['-keyout', 'key.pem', '-out', 'cert.pem'];
  const { status, stderr } = spawnSync('openssl', ['req', '-x509', ...words, ...subject, ...out], {
    cwd: folder,
  });
  assert.equal(status, 0, String(stderr));
  const [file, key] = [join(folder, 'cert.pem'), readFileSync(join(folder, 'key.pem'), 'utf8')];
  made = { cert: readFileSync(file, 'utf8'), key, file };
  return made;
}

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Answer = (response: ServerResponse, received: Received, request: IncomingMessage) => unknown;

/** Answers each request when its body has arrived; with 204 by default. */
export async function openReceiver(
  answer: Answer = (response) => response.writeHead(204).end(),
  { host = '127.0.0.1', ...options }: ServerOptions & { readonly host?: string } = {},
) {
  const received: Received[] = [];
  let connections = 0;
  const { cert, key } = testCertificate();
  const server = createServer({ cert, key, ...options }, (request, response) => {
    const answerTo = (body: string) => {
      const one = { headers: request.headers, body };
      received.push(one);
      answer(response, one, request);
    };
    text(request).then(answerTo, () => {});
  });
  server.on('connection', () => {
    connections += 1;
  });
  return {
    port: await listen(server, host),
    /** All requests whose body has arrived. */
    received: received as readonly Received[],
    /** Connections that were made. */
    get connections() {
      return connections;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>;
