// What the kernel says of a process: its descriptors, its memory, the connections that it has not closed; and
// the memory that it may take. It reads /proc and /sys, so it needs Linux.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
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

/**
 * How many bytes of a process are resident, or were at most; 0 where the system does not say, or it has
 * ended. A cgroup counts what was read of files as well, which the process does not need.
 */
export function memoryOf(pid: number, which: 'now' | 'most' = 'now'): number {
  const name = which === 'now' ? 'VmRSS' : 'VmHWM';
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * KIBIBYTE;
  } catch {
    return 0;
  }
}

/** Makes the kernel forget the most memory of a process (proc_pid_clear_refs(5)). */
export function forgetMostMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
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

const CGROUPS = '/sys/fs/cgroup';

/** Where the groups of each version of cgroups are, and the file of a group's limit. */
const VERSIONS = [
  { root: CGROUPS, limit: 'memory.max' },
  { root: join(CGROUPS, 'memory'), limit: 'memory.limit_in_bytes' },
] as const;

/**
 * The folder of a cgroup that limits memory, as a container has it; `undefined` where none can be made.
 * Node.js takes its limit for the size of the machine and keeps its heaps small: without one, another
 * program is measured.
 */
function memoryCgroup(maxBytes: number): string | undefined {
  for (const { root, limit } of VERSIONS) {
    const folder = join(root, `linecard-test-${process.pid}`);
    try {
      mkdirSync(folder);
    } catch {
      continue;
    }
    try {
      // Where it is no more than a folder, the kernel has put nothing into it.
      if (existsSync(join(folder, limit))) {
        writeFileSync(join(folder, limit), String(maxBytes));
        process.once('exit', () => remove(folder));
        return folder;
      }
    } catch {
      // This version does not control memory here.
    }
    remove(folder);
  }
  return undefined;
}

function remove(folder: string): void {
  try {
    if (existsSync(folder)) rmdirSync(folder);
  } catch {
    // A process is still in it.
  }
}

/**
 * What to start a program through so that it may take that many bytes; nothing where no cgroup can be made.
 */
export function withinMemory(maxBytes: number): readonly string[] {
  const cgroup = memoryCgroup(maxBytes);
  return cgroup === undefined ? [] : ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', cgroup];
}
