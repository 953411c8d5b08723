// Exports as a client reads them: rows, or bytes as they come, counted against what was announced. A download
// that broke off is an error and never a short list.

import { Problem } from '../contract/problems.ts';
import { mustGoOn } from './retry.ts';
import type { AnswerStream, Call, Transport } from './transport.ts';

/** `ndjson`, one item to a line, or `csv`. */
export type ExportFormat = 'ndjson' | 'csv';

const MEDIA_TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const satisfies Record<
  ExportFormat,
  string
>;
const TOTAL = /^\d+$/;
const LINE_END = 0x0a;
const QUOTE = 0x22;

/** An export on its way. It can be read once: by rows, or as bytes. */
export class Export<T> implements AsyncIterable<T> {
  /** How many rows will come. */
  readonly total: number;
  /** As which it is sent. */
  readonly format: ExportFormat;
  readonly #stream: AnswerStream;
  readonly #signal: AbortSignal | undefined;
  #isTaken = false;

  /** @throws {Problem} */
  static async open<T>(transport: Transport, call: Call, format: ExportFormat): Promise<Export<T>> {
    if (!Object.hasOwn(MEDIA_TYPES, format))
      throw new Problem('invalid-option', '`format` must be ndjson or csv.');
    const stream = await transport.open(call, MEDIA_TYPES[format]);
    const total = stream.headers.get('x-total-count') ?? '';
    if (TOTAL.test(total)) return new Export<T>(stream, Number(total), format, call.signal);
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
  }

  /**
   * The file as it is sent. It errors, rather than close, where fewer rows came than were announced.
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
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { done, value } = await chunks.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        },
        async cancel() {
          await chunks.return();
        },
      },
      { highWaterMark: 0 },
    );
  }

  /**
   * The rows of an NDJSON export.
   * @throws {Problem} `broken-off` where fewer came than were announced.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    if (this.format !== 'ndjson') {
      throw new Problem(
        'invalid-option',
        'A CSV export cannot be read by rows: take its bytes, or export NDJSON.',
      );
    }
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of this.#chunks()) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        mustGoOn(this.#signal);
        yield this.#row(line);
      }
    }
  }

  /** Ends the download. Nothing more needs to be read; what was not read is lost. */
  cancel(): void {
    this.#stream.cancel();
  }

  #row(line: string): T {
    try {
      return JSON.parse(line) as T;
    } catch (error) {
      throw this.#stream.problem('unexpected-answer', 'A row of the export is not JSON.', error);
    }
  }

  async *#chunks(): AsyncGenerator<Uint8Array, void, void> {
    if (this.#isTaken) throw new Problem('invalid-option', 'An export can be read only once.');
    this.#isTaken = true;
    let rows = this.format === 'csv' ? -1 : 0;
    let isQuoted = false;
    for await (const chunk of this.#stream.chunks) {
      for (const byte of chunk) {
        // In CSV a line end between quotes is part of a text; in JSON no bare quote stands before a line end.
        if (byte === LINE_END && !isQuoted) rows++;
        else if (byte === QUOTE && this.format === 'csv') isQuoted = !isQuoted;
      }
      yield chunk;
    }
    if (rows === this.total) return;
    throw this.#stream.problem(
      'broken-off',
      `The export broke off: ${Math.max(0, rows)} of ${this.total} rows came.`,
    );
  }
}
