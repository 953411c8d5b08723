// The operator at a shell: runs `linecard-server` as child processes against one database, and talks to a
// service that it started.

import {
  type Ended,
  mustRun,
  type ProgramOptions,
  type Running,
  type Serving,
  serveProgram,
  startProgram,
} from './program.ts';
export class Operator {
  readonly #how: ProgramOptions;
  readonly #running: Running[] = [];

  /** `within` is what the commands are started through, such as a shell that sets a limit. */
  constructor(
    database_url: string,
    environment: Readonly<Record<string, string>> = {},
    within: readonly string[] = [],
  ) {
    const env = { LINECARD_DATABASE_URL: database_url, LINECARD_LOG_FORMAT: 'json', ...environment };
    this.#how = { env, within };
  }

  start(...words: readonly string[]): Running {
    const started = startProgram(words, this.#how);
    this.#running.push(started);
    return started;
  }

  run(...words: readonly string[]): Promise<Ended> {
    const { child, ended } = this.start(...words);
    child.stdin.end();
    return ended;
  }

  /** What a command prints on standard output, which must succeed. */
  async mustDo(...words: readonly string[]): Promise<string> {
    return (await mustRun(words, this.#how)).out.trim();
  }

  async serve(...words: readonly string[]): Promise<Serving> {
    const serving = await serveProgram(['serve', ...words], this.#how);
    this.#running.push(serving);
    return serving;
  }

  /** The ids of the tokens of an account, the oldest first. */
  async tokenIds(account_id: string): Promise<string[]> {
    const text = await this.mustDo('token', 'list', '--account', account_id, '--json');
    return (JSON.parse(text) as { id: string }[]).map(({ id }) => id);
  }

  /** Ends what still runs. */
  close(): void {
    for (const { child } of this.#running) child.kill('SIGKILL');
  }
}

export async function statusOf(url: string, token?: string): Promise<number> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(url, { headers });
  await answer.arrayBuffer();
  return answer.status;
}
