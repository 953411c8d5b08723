// Answers health checks while the service waits for its database: the process is alive but not ready,
// so that it is neither restarted nor sent requests.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Problem } from '@linecard/client/contract/problems';
import { readCertificate } from '../http/tls.ts';
import { certificateFiles, type ListenSettings, listenOptions } from './listening.ts';

const [OK, UNAVAILABLE] = [200, 503];
const waiting = new Problem('unavailable', 'The service is waiting for its database. Try again later.');

const answer: RequestListener = ({ url = '', method = '' }, response) => {
  const isAlive = url.split('?')[0] === '/healthz' && ['GET', 'HEAD'].includes(method);
  const request_id = randomUUID();
  response.writeHead(isAlive ? OK : UNAVAILABLE, {
    'content-type': isAlive ? 'application/json; charset=utf-8' : 'application/problem+json',
    'cache-control': 'no-store',
    'x-request-id': request_id,
    'x-content-type-options': 'nosniff',
    connection: 'close',
    ...(!isAlive && { 'retry-after': '1' }),
  });
  response.end(JSON.stringify(isAlive ? { status: 'alive' } : waiting.body(request_id)));
};

export async function answerMeanwhile(settings: ListenSettings): Promise<() => Promise<void>> {
  const files = certificateFiles(settings);
  const server = files === undefined ? createServer(answer) : createTlsServer(readCertificate(files), answer);
  server.listen(listenOptions(settings));
  await once(server, 'listening');
  return async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
}
