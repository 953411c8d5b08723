// Where the service listens: checks the address and the TLS certificate, and explains errors.

import { once } from 'node:events';
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, isIPv6 } from 'node:net';
import { Failed, WrongUsage } from '../errors.ts';
import { type CertificateFiles, certificateState, readCertificate } from '../http/tls.ts';
import type { Values } from '../settings/config.ts';

export type ListenSettings = Pick<
  Values,
  'host' | 'port' | 'socket' | 'tls_cert' | 'tls_key' | 'trust_proxy' | 'metrics_host' | 'metrics_port'
>;
type Address = Pick<Values, 'host' | 'port' | 'socket'>;
type ListenError = NodeJS.ErrnoException & { port?: number; hostname?: string; address?: string };

/** The owner and the group have access; add the user of the proxy to the group. */
const SOCKET_MODE = 0o660;
/** System calls that fail if an address is not available. */
const LISTENING = ['listen', 'bind', 'getaddrinfo'];
const EVERY_ADDRESS = /^(?:0\.0\.0\.0|::)$/;
const LOOPBACK = /^(?:localhost|127\.[\d.]+|::1)$/;

export function listenOptions({ host, port, socket }: Address) {
  return socket === undefined ? { host, port } : { path: socket };
}

/** Turns an error of listening into a sentence that says what to do; returns other errors unchanged. */
export function listenFailure(error: unknown, settings: Address & Partial<ListenSettings>): unknown {
  const { host, port, socket, metrics_host, metrics_port } = settings;
  const { code, syscall, port: failed, hostname, address = hostname } = error as ListenError;
  const isOurs = [undefined, host, metrics_host].includes(hostname);
  if (!LISTENING.includes(syscall ?? '') || !isOurs) return error;
  const isOfMetrics =
    (address === metrics_host && address !== host) ||
    (failed !== undefined && failed === metrics_port && failed !== port);
  const [at, on] = isOfMetrics ? [metrics_host, metrics_port] : [host, port];
  const option = isOfMetrics ? '--metrics-' : '--';
  const choose = `with ${option}host: :: is every one, 0.0.0.0 those of IPv4`;
  const noAddress = `The host name ${at} cannot be resolved. Choose an address of this machine ${choose}.`;
  const ofPort: Readonly<Record<string, string>> = {
    ENOTFOUND: noAddress,
    EAI_AGAIN: noAddress,
    EADDRINUSE: `Port ${on} of ${at} is already in use. Stop the program that uses it, or choose another port with ${option}port.`,
    EADDRNOTAVAIL: `${at} is not an address of this machine. Choose one ${choose}.`,
    EAFNOSUPPORT: `This machine has no ${isIPv6(String(at)) ? 'IPv6' : 'IPv4'}, so ${at} is none of its addresses. Choose one ${choose}.`,
    EINVAL: `${at} cannot be listened on. An address that begins with fe80: needs its interface, such as fe80::1%eth0. Choose one ${choose}.`,
    EACCES: `This user may not listen on port ${on}. Choose a port of 1024 or higher with ${option}port.`,
  };
  const tooLong = `The path ${socket} is too long for a Unix socket. Choose a shorter path with --socket.`;
  const noFolder = `The folder of ${socket} does not exist. Create it, or choose another path with --socket.`;
  const ofSocket: Readonly<Record<string, string>> = {
    EADDRINUSE: `Another program is listening on ${socket}. Stop it, or choose another path with --socket.`,
    EACCES: `This user may not create ${socket}. Choose a path in a folder that it may write to with --socket.`,
    EINVAL: tooLong,
    ENAMETOOLONG: tooLong,
    ENOENT: noFolder,
    ENOTDIR: noFolder,
  };
  const sentence = (socket === undefined || isOfMetrics ? ofPort : ofSocket)[code ?? ''];
  return sentence === undefined ? error : new Failed(`${sentence} (${code})`, { cause: error });
}

/** Whether no process listens on a Unix socket. One that is busy, or belongs to another user, does. */
async function isStale(path: string): Promise<boolean> {
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

/** @throws {Failed} if there is something other than a socket at the path. */
export function mustBeSocket(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isSocket()) return;
  const what = found.isDirectory() ? 'a folder' : found.isSymbolicLink() ? 'a link' : 'a file';
  throw new Failed(
    `${path} is ${what}, not a socket, and is not replaced. Choose another path with --socket.`,
  );
}

/**
 * Listens briefly, to find out whether the service can. Removes a Unix socket that a killed process has left.
 * @throws {Failed} if it cannot.
 */
export async function assertCanListen(
  address: Address,
  settings: Address & Partial<ListenSettings> = address,
): Promise<void> {
  const { socket } = address;
  const server = createServer();
  const listen = async () => {
    server.listen(listenOptions(address));
    await once(server, 'listening');
  };
  try {
    await listen().catch(async (error: unknown) => {
      const isInUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!isInUse || socket === undefined || !(await isStale(socket))) throw error;
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

/** The same for the port of the metrics, if there is one. */
export async function assertCanAnswerMetrics(settings: Address & Partial<ListenSettings>): Promise<void> {
  const { metrics_host: host, metrics_port: port } = settings;
  if (host !== undefined && port !== undefined)
    await assertCanListen({ host, port, socket: undefined }, settings);
}

export function shareSocket({ socket }: Pick<Values, 'socket'>): void {
  if (socket !== undefined) chmodSync(socket, SOCKET_MODE);
}

/** The URL of a server, or the path of its Unix socket. */
export function urlOf(at: AddressInfo | string | null, isEncrypted: boolean): string {
  if (at === null || typeof at === 'string') return `unix:${at}`;
  const { address, family, port } = at;
  const anywhere = address === '0.0.0.0' || address === '::';
  const host = anywhere ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `${isEncrypted ? 'https' : 'http'}://${host}:${port}`;
}

/** @throws {WrongUsage} if the settings contradict each other. */
export function mustListenSomewhere(settings: ListenSettings & Pick<Values, 'demo'>): void {
  const { host, port, socket, tls_cert, tls_key, metrics_host, metrics_port, demo } = settings;
  if ((tls_cert === undefined) !== (tls_key === undefined))
    throw new WrongUsage('TLS needs both the certificate and its key: --tls-cert FILE and --tls-key FILE.');
  if (socket !== undefined && tls_cert !== undefined)
    throw new WrongUsage('TLS is not available on a Unix socket: use either --socket or --tls-cert.');
  if (socket !== undefined && demo)
    throw new WrongUsage(
      '--demo prints URLs to try, which a Unix socket does not have: use either --demo or --socket.',
    );
  const isOneAddress = host === metrics_host || [host, metrics_host].some((one) => EVERY_ADDRESS.test(one));
  if (socket === undefined && port !== 0 && metrics_port === port && isOneAddress)
    throw new WrongUsage(`The metrics need a separate port: --port and --metrics-port are both ${port}.`);
}

export function clearTextWarning(settings: ListenSettings): string | undefined {
  const { host, socket, tls_cert, trust_proxy } = settings;
  const isLocal = socket !== undefined || LOOPBACK.test(host);
  if (isLocal || tls_cert !== undefined || trust_proxy.length > 0) return undefined;
  const where = EVERY_ADDRESS.test(host) ? 'every address of this machine' : host;
  return `Tokens and numbers are sent in clear text, on ${where}. Put a proxy with TLS in front and name it with --trust-proxy, or set --tls-cert and --tls-key.`;
}

export function certificateFiles({
  tls_cert: cert,
  tls_key: key,
}: Pick<ListenSettings, 'tls_cert' | 'tls_key'>): CertificateFiles | undefined {
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

/**
 * A warning about the certificate at startup, if there is one to give.
 * @throws {Failed} if it cannot be used.
 */
export function certificateWarning(settings: ListenSettings): string | undefined {
  const files = certificateFiles(settings);
  if (files === undefined) return undefined;
  const { status, says } = certificateState(readCertificate(files));
  return status === 'ok' ? undefined : `${says} Renew the files of --tls-cert and --tls-key.`;
}
