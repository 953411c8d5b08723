// What the kernel says of a process: its descriptors, its memory, and the connections that it has not closed.
// It reads /proc, so it needs Linux.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

const KIBIBYTE = 1_024;
/** In a millisecond. */
const NANOSECONDS = 1_000_000;
const SOCKET = /^socket:\[(\d+)\]$/;

/** What each descriptor of a process is: a path, or such as `socket:[4711]`. */
export function descriptorsOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))];
    } catch {
      // Closed since the folder was read.
      return [];
    }
  });
}

/** `O_NONBLOCK`, as the kernel shows flags. */
const NON_BLOCKING = 0o4000;

/** Whether a descriptor of a process does not block, for it and for every process that shares it. */
export function isNonBlocking(pid: number, descriptor: number): boolean {
  const [, flags = ''] =
    /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8')) ?? [];
  return (Number.parseInt(flags, 8) & NON_BLOCKING) !== 0;
}

/** How many bytes of memory a process takes; 0 where the system does not say, or it has ended. */
export function memoryOf(pid: number): number {
  try {
    const [, kibibytes = 0] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kibibytes) * KIBIBYTE;
  } catch {
    return 0;
  }
}

/** For how many milliseconds the first thread of a process has had a processor. */
export function busyMsOf(pid: number): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / NANOSECONDS;
}

/**
 * The ports of the clients whose connections a process that listens on `port` still holds, as its end of each
 * has it: a client that reads nothing does not see that it was closed.
 */
export function clientsOf(pid: number, port: number): Set<number> {
  const held = new Set(descriptorsOf(pid).flatMap((target) => SOCKET.exec(target)?.[1] ?? []));
  const clients = new Set<number>();
  for (const file of ['tcp', 'tcp6']) {
    for (const line of readFileSync(`/proc/${pid}/net/${file}`, 'utf8').split('\n').slice(1)) {
      const [, local = '', remote = '', , , , , , , inode = ''] = line.trim().split(/\s+/);
      if (!held.has(inode) || Number.parseInt(local.split(':')[1] ?? '', 16) !== port) continue;
      const client = Number.parseInt(remote.split(':')[1] ?? '', 16);
      // The socket that listens has none.
      if (client !== 0) clients.add(client);
    }
  }
  return clients;
}
