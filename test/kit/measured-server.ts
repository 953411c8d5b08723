// `linecard-server serve` as a process of its own whose memory is measured, and raw connections to it that
// can be read or left unread.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { ENVIRONMENT } from './environment.ts';
import { memoryCgroup } from './memory-cgroup.ts';
import { MAIN } from './program.ts';
import { until } from './until.ts';

const MIB = 1_048_576;
/** Of what it says, the last so many characters are remembered. */
const LONGEST_SAID = 10_000;
const KIB_A_MIB = 1_024;
/** What makes the kernel forget the highest memory of a process (proc_pid_clear_refs(5)). */
const FORGET_PEAK = '5';

/** What a container would give it, in MiB. */
export const MAX_MIB = 512;
const CGROUP = memoryCgroup(MAX_MIB * MIB);
const JOIN_CGROUP = 'echo $$ > "$0/cgroup.procs" && exec "$@"';

/** How memory is measured, as a sentence. */
export const HOW_MEASURED =
  CGROUP === undefined
    ? 'no cgroup can be made: memory is the most that the process has had resident'
    : `in a cgroup of ${MAX_MIB} MiB, resident`;

export class MeasuredServer {
  readonly #child: ChildProcess;
  port = 0;
  readonly database: string;
  #said = '';

  private constructor(child: ChildProcess, database: string) {
    this.#child = child;
    this.database = database;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#said = (this.#said + text).slice(-LONGEST_SAID);
      });
    }
  }

  static async start(database: string, ...options: readonly string[]): Promise<MeasuredServer> {
    const words = [process.execPath, MAIN, 'serve', '--port', '0', ...options];
    const [program = '', ...rest] =
      CGROUP === undefined ? words : ['sh', '-c', JOIN_CGROUP, CGROUP, ...words];
    const env = { ...ENVIRONMENT, LINECARD_DATABASE_URL: database };
    const child = spawn(program, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const server = new MeasuredServer(child, database);
    await until('it answers', () => {
      if (!server.isAlive) throw new Error(`The server ended:\n${server.said}`);
      server.port = Number(/Linecard answers at http:\S+:(\d+)/.exec(server.said)?.[1] ?? 0);
      return server.port > 0;
    });
    return server;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The end of what it has logged. */
  get said(): string {
    return this.#said;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** MiB of it that are resident; a cgroup counts what was read of files as well, which is no need. */
  get now(): number {
    return this.#status('VmRSS');
  }

  /** The most MiB that were resident since that was forgotten. */
  get peak(): number {
    return this.#status('VmHWM');
  }

  forgetPeak(): void {
    writeFileSync(`/proc/${this.pid}/clear_refs`, FORGET_PEAK);
  }

  async stop(): Promise<void> {
    if (!this.isAlive) return;
    this.#child.kill('SIGTERM');
    await once(this.#child, 'exit');
  }

  #status(name: string): number {
    if (!this.isAlive) return 0;
    const text = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / KIB_A_MIB;
  }
}

/** What came back of a request. */
export interface RawAnswer {
  readonly status: number;
  readonly etag: string | undefined;
}

const HEAD_END = '\r\n\r\n';

/** One connection, on which a request is sent when the one before is answered. */
export class RawConnection {
  readonly socket: Socket;
  #text = '';
  #left = 0;
  #answer: PromiseWithResolvers<RawAnswer> | undefined;
  #head: RawAnswer | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('error', () => {});
    socket.on('data', (text: unknown) => this.#take(String(text)));
    socket.on('close', () => this.#answer?.resolve({ status: 0, etag: undefined }));
  }

  /** `from`: an address of this machine, so that not all connections come from one. */
  static async open(port: number, from = '127.0.0.1'): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    const connection = new RawConnection(socket);
    await once(socket, 'connect').catch(() => {});
    return connection;
  }

  /** The status is 0 where the connection was closed instead. */
  ask(request: string): Promise<RawAnswer> {
    this.#answer = Promise.withResolvers<RawAnswer>();
    if (this.socket.destroyed) this.#answer.resolve({ status: 0, etag: undefined });
    else this.socket.write(request, 'latin1');
    return this.#answer.promise;
  }

  close(): void {
    this.socket.destroy();
  }

  #take(text: string): void {
    if (this.#head !== undefined) {
      this.#left -= text.length;
    } else {
      this.#text += text;
      const end = this.#text.indexOf(HEAD_END);
      if (end < 0) return;
      const head = this.#text.slice(0, end);
      const status = Number(head.slice(9, 12));
      const length = status === 304 ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      this.#head = { status, etag: /\r\netag: (\S+)/i.exec(head)?.[1] };
      this.#left = length - (this.#text.length - end - HEAD_END.length);
      this.#text = '';
    }
    if (this.#left > 0) return;
    const answer = this.#head;
    this.#head = undefined;
    this.#answer?.resolve(answer);
  }
}
