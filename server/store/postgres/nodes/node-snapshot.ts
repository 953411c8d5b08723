// A snapshot of a deployment that Citus distributes: it begins on the node that its first statement is of,
// and stays there.

import type { Statement } from '../../sql.ts';
import type { ResultRow, RowsOf, Snapshot } from '../../store.ts';
import type { PostgresStore } from '../postgres.ts';
import { openSnapshot } from '../snapshot.ts';

/** Reads from where the rows of these statements are. */
type ReadFromNode = <T>(
  statements: readonly Statement[],
  readFrom: (store: PostgresStore) => Promise<T>,
) => Promise<T>;

export class NodeSnapshot implements Snapshot {
  readonly #reading: ReadFromNode;
  #opened: Promise<Snapshot> | undefined;

  constructor(reading: ReadFromNode) {
    this.#reading = reading;
  }

  async read<const S extends readonly Statement[]>(...statements: S): Promise<RowsOf<S>> {
    if (this.#opened !== undefined) return (await this.#opened).read(...statements);
    // What is read first is read where it is opened: a node that has gone fails then, and not before.
    const first = this.#reading(statements, (store) => openSnapshot(store, statements));
    this.#opened = first.then(({ snapshot }) => snapshot);
    return (await first).rows;
  }

  async *rows(statement: Statement): AsyncGenerator<readonly ResultRow[]> {
    this.#opened ??= this.#reading([statement], (store) => store.snapshot());
    yield* (await this.#opened).rows(statement);
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.close();
  }
}
