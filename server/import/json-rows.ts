// The rows of a JSON document: the objects of one of its arrays, numbered from 1.

import { JsonDocument } from './json-document.ts';
import { JsonObjects } from './ndjson.ts';
import type { FileRow, RowContext, RowFormat } from './rows.ts';

export class JsonRows implements RowFormat {
  readonly #context: RowContext;
  readonly #document: JsonDocument;
  readonly #objects: JsonObjects;
  readonly blankLines = 0;

  constructor(context: RowContext) {
    this.#context = context;
    this.#document = new JsonDocument(context.records);
    this.#objects = new JsonObjects(context, 'record');
  }

  get nextLine(): number {
    return this.#document.records + 1;
  }

  *rows(chunk: string): Generator<FileRow> {
    for (const text of this.#document.take(chunk)) {
      const row = this.#objects.row(text, this.#document.records);
      if (row !== undefined) yield row;
    }
  }

  end(): void {
    this.#document.end();
    if (this.#document.records === 0) this.#context.report(0, undefined, 'There is no row.');
  }
}
