// Where the service listens: whether it can, the sentence for why not, and what should be known of it.

import { once } from 'node:events';
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { Failed, WrongUsage } from '../errors.ts';
import type { Settings } from '../settings/settings.ts';

export type ListenSettings = Pick<
  Settings,
  'host' | 'port' | 'socket' | 'tls_cert' | 'tls_key' | 'trust_proxy' | 'metrics_host' | 'metrics_port'
>;
type Address = Pick<Settings, 'host' | 'port' | 'socket'>;
type ListenError = NodeJS.ErrnoException & { port?: number; hostname?: string };

/** The owner and the group may use it: the user of the proxy is put into the group. */
const SOCKET_MODE = 0o660;
/** The calls that fail where an address cannot be listened on. */
const LISTENING = ['listen', 'bind', 'getaddrinfo'];
const EVERY_ADDRESS = /^(?:0\.0\.0\.0|::)$/;
const LOOPBACK = /^(?:localhost|127\.[\d.]+|::1)$/;

/** As a server takes it. */
export function listenOptions({ host, port, socket }: Address) {
  return socket === undefined ? { host, port } : { path: socket };
}

/** An error of listening as a sentence that says what to do; any other error as it is. */
export function listenFailure(error: unknown, settings: Address & Partial<ListenSettings>): unknown {
  const { host, port, socket, metrics_host, metrics_port } = settings;
  const { code, syscall, port: failed, hostname } = error as ListenError;
  const isOurs = [undefined, host, metrics_host].includes(hostname);
  if (!LISTENING.includes(syscall ?? '') || !isOurs) return error;
  const isOfMetrics =
    hostname === undefined
      ? failed !== undefined && failed === metrics_port && failed !== port
      : hostname !== host;
  const [at, on] = isOfMetrics ? [metrics_host, metrics_port] : [host, port];
  const option = isOfMetrics ? '--metrics-' : '--';
  const noAddress = `No address is known for ${at}. Choose an address of this machine with ${option}host; 0.0.0.0 is all of them.`;
  const ofPort: Readonly<Record<string, string>> = {
    ENOTFOUND: noAddress,
    EAI_AGAIN: noAddress,
    EADDRINUSE: `Port ${on} of ${at} is already in use. Stop what uses it, or choose another port with ${option}port.`,
    EADDRNOTAVAIL: `${at} is not an address of this machine. Choose one with ${option}host; 0.0.0.0 is all of them.`,
    EACCES: `This user may not listen on port ${on}. Choose a port from 1024 on with ${option}port.`,
  };
  const tooLong = `${socket} is too long for a Unix socket. Name a shorter path with --socket.`;
  const noFolder = `The folder of ${socket} is not there. Make it, or name another path with --socket.`;
  const ofSocket: Readonly<Record<string, string>> = {
    EADDRINUSE: `Something already answers on ${socket}. Stop it, or name another path with --socket.`,
    EACCES: `This user may not make ${socket}. Name a path in a folder that it may write to with --socket.`,
    EINVAL: tooLong,
    ENAMETOOLONG: tooLong,
    ENOENT: noFolder,
    ENOTDIR: noFolder,
  };
  const sentence = (socket === undefined || isOfMetrics ? ofPort : ofSocket)[code ?? ''];
  return sentence === undefined ? error : new Failed(`${sentence} (${code})`, { cause: error });
}

/** Whether no process listens on a Unix socket; one that is too busy, or somebody else's, does listen. */
async function isLeftBehind(path: string): Promise<boolean> {
  const socket = connect({ path });
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
  } finally {
    socket.destroy();
  }
}

/** @throws {Failed} where something else than a socket is at the path, such as the database. */
export function mustBeSocket(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isSocket()) return;
  const what = found.isDirectory() ? 'a folder' : found.isSymbolicLink() ? 'a link' : 'a file';
  throw new Failed(
    `${path} is ${what} and not a socket, so it is left as it is. Name another path with --socket.`,
  );
}

/**
 * Listens for an instant, to find out whether the service can. A Unix socket that a process has left behind
 * when it was killed is removed; nothing else is.
 * @throws {Failed} when it cannot, with what to do about it.
 */
export async function assertCanListen(settings: Address & Partial<ListenSettings>): Promise<void> {
  const { socket } = settings;
  const server = createServer();
  const listen = async () => {
    server.listen(listenOptions(settings));
    await once(server, 'listening');
  };
  try {
    await listen().catch(async (error: unknown) => {
      const isInUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!isInUse || socket === undefined || !(await isLeftBehind(socket))) throw error;
      mustBeSocket(socket);
      rmSync(socket);
      await listen();
    });
  } catch (error) {
    throw listenFailure(error, settings);
  }
  server.close();
  await once(server, 'close');
}

/** Lets the group use the Unix socket that a server has just made. */
export function shareSocket({ socket }: Pick<Settings, 'socket'>): void {
  if (socket !== undefined) chmodSync(socket, SOCKET_MODE);
}

/** Where a server listens, as a URL that a person can open; of a Unix socket, where that is. */
export function urlOf(at: AddressInfo | string | null, isEncrypted: boolean): string {
  if (at === null || typeof at === 'string') return `unix:${at}`;
  const { address, family, port } = at;
  const anywhere = address === '0.0.0.0' || address === '::';
  const host = anywhere ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `${isEncrypted ? 'https' : 'http'}://${host}:${port}`;
}

/** @throws {WrongUsage} where settings of listening do not go together. */
export function mustListenSomewhere(settings: ListenSettings & Pick<Settings, 'demo'>): void {
  const { host, port, socket, tls_cert, tls_key, metrics_host, metrics_port, demo } = settings;
  if ((tls_cert === undefined) !== (tls_key === undefined))
    throw new WrongUsage('TLS needs both the certificate and its key: --tls-cert FILE and --tls-key FILE.');
  if (socket !== undefined && tls_cert !== undefined)
    throw new WrongUsage(
      'A Unix socket is of this machine and speaks no TLS: leave out --socket or --tls-cert.',
    );
  if (socket !== undefined && demo)
    throw new WrongUsage(
      '--demo prints addresses to try, and a Unix socket has none: leave out one of the two.',
    );
  const isOneAddress = host === metrics_host || [host, metrics_host].some((one) => EVERY_ADDRESS.test(one));
  if (socket === undefined && port !== 0 && metrics_port === port && isOneAddress)
    throw new WrongUsage(`The metrics need a port of their own: --port and --metrics-port are both ${port}.`);
}

/** What an operator should know of where it listens; `undefined` where nothing is to be said. */
export function clearTextWarning(settings: ListenSettings): string | undefined {
  const { host, socket, tls_cert, trust_proxy } = settings;
  const isLocal = socket !== undefined || LOOPBACK.test(host);
  if (isLocal || tls_cert !== undefined || trust_proxy.length > 0) return undefined;
  const where = EVERY_ADDRESS.test(host) ? 'every address of this machine' : host;
  return `Tokens and numbers are sent in clear text, on ${where}. Put a proxy that speaks TLS in front, and name it with --trust-proxy; or give --tls-cert and --tls-key.`;
}
