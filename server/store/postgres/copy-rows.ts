// Rows streamed into a PostgreSQL table by COPY, no faster than the server takes them.

import { once } from 'node:events';
import type { Client } from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import { StoreUnavailable } from '../store-errors.ts';
import type { Stored } from '../tables.ts';
import { drop } from './connect.ts';
import { sqlState, storeErrorOf } from './errors.ts';

const STALLED_MILLISECONDS = 60_000;

const SPECIAL = /[\\\n\r\t]/g;
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const NULL = '\\N';

/** A value in the text format of COPY. */
function copyText(value: Stored): string {
  if (value === null) return NULL;
  return typeof value === 'string' ? value.replace(SPECIAL, (one) => ESCAPED[one] as string) : String(value);
}

/** A row in the text format of COPY, with its line reference in front where it has one. */
export function copyLine(line: number | undefined, values: readonly Stored[]): string {
  const text = values.map(copyText).join('\t');
  return line === undefined ? `${text}\n` : `${line}\t${text}\n`;
}

export class CopyRows {
  readonly #client: Client;
  readonly #statement: string;
  #stream: CopyStreamQuery | undefined;
  #failure: Error | undefined;
  /** The SQLSTATE that the server has refused rows with. */
  state: string | undefined;

  constructor(client: Client, statement: string) {
    this.#client = client;
    this.#statement = statement;
  }

  /**
   * Sends rows; waits while the server has enough of them.
   * @throws {StoreUnavailable | StoreRefused}
   */
  async write(text: string): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (text === '') return;
    const stream = this.#stream ?? this.#begin();
    if (stream.write(text)) return;
    await this.#orFailure(once(stream, 'drain'));
  }

  /** Ends the COPY, if one has begun; the next rows begin another. */
  async end(): Promise<void> {
    const stream = this.#stream;
    if (stream === undefined) return;
    if (this.#failure !== undefined) throw this.#failure;
    this.#stream = undefined;
    stream.end();
    await this.#orFailure(once(stream, 'finish'));
  }

  #begin(): CopyStreamQuery {
    const stream = this.#client.query(copyFrom(this.#statement));
    stream.on('error', (error) => {
      this.state = sqlState(error);
      this.#failure = storeErrorOf(error);
    });
    this.#stream = stream;
    return stream;
  }

  /** Waits for an event of the stream, but not for ever. */
  async #orFailure(event: Promise<unknown>): Promise<void> {
    const timer = setTimeout(() => {
      this.#failure = new StoreUnavailable('The database has stopped taking rows. Nothing was changed.');
      drop(this.#client);
    }, STALLED_MILLISECONDS);
    try {
      await event;
    } catch (error) {
      throw this.#failure ?? storeErrorOf(error);
    } finally {
      clearTimeout(timer);
    }
  }
}
