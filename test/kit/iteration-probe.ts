// How long a service holds its request thread: `node --import` loads this file into it, and it measures the
// processor time of each iteration of the event loop, which other work of the machine does not lengthen.

import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { isMainThread } from 'node:worker_threads';

const VARIABLE = 'ITERATION_PROBE';
const MICROSECONDS = 1_000;

/** What a service is started with, to be asked on this socket. */
export const probeOn = (socket: string): Record<string, string> => ({
  [VARIABLE]: socket,
  NODE_OPTIONS: `--import ${import.meta.filename}`,
});

/** The longest iteration since this was last asked, in milliseconds. */
export async function longestIteration(socket: string): Promise<number> {
  const connection = connect(socket);
  await once(connection, 'connect');
  return Number(await text(connection));
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / MICROSECONDS;
}

function measure(socket: string): void {
  let longest = 0;
  let began = cpuMs();
  const look = () => {
    longest = Math.max(longest, cpuMs() - began);
    began = cpuMs();
    setImmediate(look).unref();
  };
  look();
  const server = createServer((connection) => {
    connection.end(String(longest));
    longest = 0;
  });
  server.listen(socket).unref();
}

const socket = process.env[VARIABLE];
if (isMainThread && socket !== undefined && ['serve', 'intake'].includes(process.argv[2] ?? ''))
  measure(socket);
