// Exports as a client reads them: rows, or bytes as they come. Whether all of it came is whole.ts's.

import { Problem } from '../contract/problems.ts';
import { headOf, withHead } from './answer-head.ts';
import { linkedQuery } from './link.ts';
import { mustGoOn } from './retry.ts';
import { isObject } from './shape.ts';
import type { AnswerStream, Call, Transport } from './transport.ts';
import { countRows, wholeArchive } from './whole.ts';

/** `ndjson`, one item to a line, `csv`, or `xlsx` for a spreadsheet. */
export type ExportFormat = 'ndjson' | 'csv' | 'xlsx';

const MEDIA_TYPES = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const satisfies Record<ExportFormat, string>;
const TOTAL = /^\d{1,15}$/;

/** An export on its way. It can be read once: by rows, or as bytes. */
export class Export<T> implements AsyncIterable<T> {
  /** How many rows will come. */
  readonly total: number;
  /** As which it is sent. */
  readonly format: ExportFormat;
  /**
   * The token from which `changes`, `follow` and `sync` go on; `undefined` where the answer has no `Link`, as
   * where the filters are too long for a URL. One of `changes({ since: 'now' })` from before it does as well.
   */
  readonly since: string | undefined;
  readonly #stream: AnswerStream;
  readonly #signal: AbortSignal | undefined;
  #isTaken = false;

  /** @throws {Problem} */
  static async open<T>(transport: Transport, call: Call, format: ExportFormat): Promise<Export<T>> {
    if (!Object.hasOwn(MEDIA_TYPES, format))
      throw new Problem('invalid-option', '`format` must be ndjson, csv or xlsx.');
    const stream = await transport.open(call, MEDIA_TYPES[format]);
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

  /**
   * The file as it is sent. It errors, rather than close, where it is not whole.
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
          // Where nothing was read, the generator has not begun, and ends nothing.
          end();
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
        'Only an NDJSON export can be read by rows: export that, or take the bytes of this one.',
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
    const { format, total } = this;
    const bytes = this.#stream.chunks;
    yield* format === 'xlsx'
      ? wholeArchive(bytes, this.#stream.problem)
      : countRows(bytes, { isCsv: format === 'csv', total, problem: this.#stream.problem });
  }
}
