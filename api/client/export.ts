// Exports as a client reads them: rows, or bytes as they arrive. Rows are counted against the number that was
// announced and an archive must have its end, so a download that breaks off is an error, never a short list.

import { FILE_TYPES } from '../contract/addresses.ts';
import { Problem } from '../contract/problems.ts';
import { headOf, linkedQuery, withHead } from './headers.ts';
import type { ExportFormat } from './options.ts';
import { throwIfAborted } from './retry.ts';
import { isObject } from './shape.ts';
import type { AnswerStream, Call, Transport } from './transport.ts';

const TOTAL = /^\d{1,15}$/;
const MAX_ROW_BYTES = 4 * 1_024 * 1_024;
const LINE_END = 0x0a;
const QUOTE = 0x22;
/** An XLSX file is a ZIP archive, which ends with a record of at least this length (APPNOTE.TXT, 4.3.16). */
const END_RECORD_BYTES = 22;
const END_RECORD = [0x50, 0x4b, 0x05, 0x06];

/** An export in flight. It can be read once: by rows, or as bytes. */
export class Export<T> implements AsyncIterable<T> {
  /** How many rows it has. */
  readonly total: number;
  /** The format that it is sent in. */
  readonly format: ExportFormat;
  /**
   * The token from which `changes`, `follow` and `sync` continue; `undefined` where the answer has no `Link`,
   * as when the filters are too long for a URL. Then use one of `changes({ since: 'now' })` from before it.
   */
  readonly since: string | undefined;
  readonly #stream: AnswerStream;
  readonly #signal: AbortSignal | undefined;
  #isTaken = false;
  #rows = 0;

  /** @throws {Problem} */
  static async open<T>(transport: Transport, call: Call, format: ExportFormat): Promise<Export<T>> {
    if (!Object.hasOwn(FILE_TYPES, format))
      throw new Problem('invalid-option', '`format` must be ndjson, csv or xlsx.');
    const stream = await transport.open(call, FILE_TYPES[format]);
    const total = stream.headers.get('x-total-count') ?? '';
    if (TOTAL.test(total)) {
      const made = new Export<T>(stream, Number(total), format, call.signal);
      return withHead(made, headOf(stream.headers));
    }
    stream.cancel();
    const why = 'a proxy takes it out, or CORS does not expose it';
    throw stream.problem(
      'unexpected-answer',
      `The export has no X-Total-Count to count its rows against: ${why}.`,
    );
  }

  private constructor(stream: AnswerStream, total: number, format: ExportFormat, signal?: AbortSignal) {
    this.#stream = stream;
    this.#signal = signal;
    this.total = total;
    this.format = format;
    this.since = linkedQuery(stream.headers.get('link'), 'monitor')?.get('since') ?? undefined;
  }

  /** How many rows have arrived; 0 for XLSX, whose bytes do not show it. */
  get rows(): number {
    return this.#rows;
  }

  /**
   * The file as it is sent. The stream errors instead of closing where the file is incomplete.
   *
   * ```ts
   * import { writeFile } from 'node:fs/promises';
   *
   * const file = await client.virtualNumbers.export({}, { format: 'csv' });
   * await writeFile('virtual-numbers.csv', file.bytes());
   * ```
   */
  bytes(): ReadableStream<Uint8Array> {
    const chunks = this.#chunks();
    const end = () => this.cancel();
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { done, value } = await chunks.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        },
        async cancel() {
          // Where nothing was read, the generator has not started, and its `return` ends no request.
          end();
          await chunks.return();
        },
      },
      { highWaterMark: 0 },
    );
  }

  /**
   * The rows of an NDJSON export.
   * @throws {Problem} `broken-off` where there are fewer than were announced
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for await (const batch of this.batches()) for (const row of batch) yield row;
  }

  /**
   * The same rows, those together that arrived together: where there are hundreds of thousands, it costs less
   * not to wait for each of them.
   * @throws {Problem}
   */
  async *batches(): AsyncGenerator<Iterable<T>, void, void> {
    if (this.format !== 'ndjson') {
      throw new Problem(
        'invalid-option',
        'Only an NDJSON export can be read by rows: export that, or take the bytes of this one.',
      );
    }
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of this.#chunks()) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield this.#rowsOf(lines);
    }
  }

  /** Ends the download; what was not read is lost. */
  cancel(): void {
    this.#stream.cancel();
  }

  *#rowsOf(lines: readonly string[]): Generator<T, void, void> {
    for (const line of lines) {
      throwIfAborted(this.#signal);
      yield this.#row(line);
    }
  }

  #row(line: string): T {
    let row: unknown;
    try {
      row = JSON.parse(line);
    } catch (error) {
      throw this.#stream.problem('unexpected-answer', 'A row of the export is not JSON.', error);
    }
    if (isObject(row)) return row as T;
    throw this.#stream.problem('unexpected-answer', 'A row of the export is JSON, but not an item.');
  }

  async *#chunks(): AsyncGenerator<Uint8Array, void, void> {
    if (this.#isTaken) throw new Problem('invalid-option', 'An export can be read only once.');
    this.#isTaken = true;
    const { chunks: bytes, problem } = this.#stream;
    if (this.format === 'xlsx') yield* checkArchive(bytes, problem);
    else yield* this.#countRows(bytes, this.format === 'csv');
  }

  /** Passes lines on; throws where there are too few or too many, or one is far too long. */
  async *#countRows(
    bytes: AsyncIterable<Uint8Array>,
    isCsv: boolean,
  ): AsyncGenerator<Uint8Array, void, void> {
    const { total } = this;
    let rows = isCsv ? -1 : 0;
    let isQuoted = false;
    let rowBytes = 0;
    const countCsv = (chunk: Uint8Array) => {
      for (const byte of chunk) {
        rowBytes += 1;
        // A line end between quotes is part of a text.
        if (byte === LINE_END && !isQuoted) {
          rows += 1;
          rowBytes = 0;
        } else if (byte === QUOTE) isQuoted = !isQuoted;
      }
    };
    // In JSON no line end is part of a text.
    const countJson = (chunk: Uint8Array) => {
      let last = -1;
      for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) {
        rows += 1;
        last = at;
      }
      rowBytes = chunk.length - 1 - last + (last < 0 ? rowBytes : 0);
    };
    for await (const chunk of bytes) {
      if (isCsv) countCsv(chunk);
      else countJson(chunk);
      this.#rows = Math.max(0, rows);
      if (rowBytes > MAX_ROW_BYTES) {
        throw this.#stream.problem('unexpected-answer', `Row ${rows + 1} of the export has no end.`);
      }
      if (rows > total) break;
      yield chunk;
    }
    if (rows === total) return;
    throw this.#stream.problem('broken-off', `The export broke off: ${this.#rows} of ${total} rows came.`);
  }
}

/** Passes an archive on; throws where its end is missing. */
async function* checkArchive(
  bytes: AsyncIterable<Uint8Array>,
  problem: AnswerStream['problem'],
): AsyncGenerator<Uint8Array, void, void> {
  let tail = new Uint8Array();
  for await (const chunk of bytes) {
    tail = Uint8Array.from([...tail, ...chunk.subarray(-END_RECORD_BYTES)]).subarray(-END_RECORD_BYTES);
    yield chunk;
  }
  if (END_RECORD.every((byte, i) => tail[i] === byte)) return;
  throw problem('broken-off', 'The export broke off: the file has no end.');
}
