// An HTTP proxy as a network has one: it forwards plain requests, opens tunnels, asks for a password, or
// refuses. Whatever name is requested, it connects to one server of a test.

import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { listen } from './free-port.ts';

interface ProxyOptions {
  /** The port that it connects to, for plain requests and for tunnels. */
  readonly port: number;
  /** `user:password`, where it asks for them. */
  readonly login?: string;
  /** What it answers a tunnel with, instead of opening it. */
  readonly refusal?: number;
}

export async function openProxy({ port, login, refusal }: ProxyOptions) {
  const requests: string[] = [];
  const wanted = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
  const server = createServer((incoming, answer) => {
    const { method = '', url = '', headers } = incoming;
    requests.push(`${method} ${url.split('?')[0]}`);
    if (wanted !== undefined && headers['proxy-authorization'] !== wanted) {
      answer.writeHead(407, { 'proxy-authenticate': 'Basic' }).end();
      return;
    }
    const { pathname, search } = new URL(url);
    const onwards = request({ port, host: '127.0.0.1', method, path: pathname + search, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 500, got.headers);
      got.pipe(answer);
    });
    onwards.on('error', () => answer.destroy());
    incoming.pipe(onwards);
  });
  server.on('connect', ({ url = '', headers }, socket) => {
    requests.push(`CONNECT ${url}`);
    socket.on('error', () => {});
    const isStranger = wanted !== undefined && headers['proxy-authorization'] !== wanted;
    if (isStranger || refusal !== undefined) {
      socket.end(`HTTP/1.1 ${isStranger ? 407 : refusal} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const onwards = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onwards.pipe(socket).pipe(onwards);
    });
    onwards.on('error', () => socket.destroy());
  });
  const host = `127.0.0.1:${await listen(server)}`;
  return {
    url: `http://${host}`,
    host,
    /** The method and the address of each request, as the proxy had them. */
    requests,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
