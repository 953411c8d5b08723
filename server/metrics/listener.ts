// Where metrics are scraped: GET /metrics on a port of its own, so that no proxy in front of the service
// publishes them. GET /healthz there is for processes that have no other port.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const ALWAYS = {
  'content-type': CONTENT_TYPE,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};
const ALIVE = JSON.stringify({ status: 'alive' });
const REQUEST_MILLISECONDS = 5_000;

export interface MetricsListener {
  readonly url: string;
  close(): Promise<void>;
}

/** Answers until it is closed; `text` returns the metrics for each request. */
export async function listenForMetrics(
  address: { readonly host: string; readonly port: number },
  text: () => Promise<string>,
  onFailure: (error: unknown) => void,
): Promise<MetricsListener> {
  const server: Server = createServer(
    { requestTimeout: REQUEST_MILLISECONDS, headersTimeout: REQUEST_MILLISECONDS },
    (request, response) => {
      const end = (status: number, body: string, headers: Record<string, string> = {}) =>
        response.writeHead(status, { ...ALWAYS, ...headers }).end(body);
      const path = request.url?.split('?', 1)[0];
      if (path !== '/metrics' && path !== '/healthz') end(404, 'The metrics are at /metrics.\n');
      else if (request.method !== 'GET' && request.method !== 'HEAD')
        end(405, 'GET or HEAD.\n', { allow: 'GET, HEAD' });
      else if (path === '/healthz') end(200, ALIVE, { 'content-type': 'application/json; charset=utf-8' });
      else {
        text().then(
          (body) => end(200, body),
          (error: unknown) => {
            onFailure(error);
            end(500, 'The metrics could not be collected; the log says why.\n');
          },
        );
      }
    },
  );
  server.timeout = 2 * REQUEST_MILLISECONDS;
  server.listen(address);
  await once(server, 'listening');
  // It must not keep the process alive.
  server.unref();
  const { address: host, family, port } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${host}]` : host}:${port}/metrics`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
