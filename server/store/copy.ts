// Copies one store into another: accounts, tokens, lists, revisions and the key of the cursors, so that no
// customer notices the move. The copy is read back and compared; until then the target refuses to serve.

import { hash, randomUUID } from 'node:crypto';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { DEPLOYMENT, LOGS, listParts, type Part, partsOf, ROWS } from './copy-parts.ts';
import {
  COPYING,
  DISTRIBUTED_BY,
  deploymentValue,
  forgetDeploymentValue,
  SCHEMA_STEP,
  setDeploymentValue,
} from './deployment.ts';
import { declarationsStatement, declaredOf } from './lists/own-fields.ts';
import { inParts, insertRows, type Statement, separate, statement } from './sql.ts';
import type { ResultRow, Snapshot, Store } from './store.ts';
import type { Table } from './tables.ts';

/** Rows per statement and per transaction, if they are not imported: the commit takes longest. */
const ROWS_AT_ONCE = 500;
const ROWS_A_TRANSACTION = 10_000;
/** What a database says about itself, which is not copied. */
const OWN_VALUES = [SCHEMA_STEP, DISTRIBUTED_BY, COPYING];

/** How many rows a part has, and a checksum that is the same for the same rows in any order. */
export interface Sum {
  readonly name: string;
  readonly rows: number;
  readonly checksum: string;
}

/** Adds up the sum of a part. */
class Checksum {
  rows = 0;
  #sum = 0n;

  add(rows: readonly ResultRow[]): void {
    for (const row of rows) this.#sum += BigInt(`0x${hash('sha256', JSON.stringify(row)).slice(0, 32)}`);
    this.rows += rows.length;
  }

  of({ name }: Part): Sum {
    return { name, rows: this.rows, checksum: BigInt.asUintN(128, this.#sum).toString(16).padStart(32, '0') };
  }
}

export interface CopyProgress {
  readonly doing: 'reading' | 'copying' | 'comparing';
  readonly part: string;
  readonly rows: number;
}

type Progress = (progress: CopyProgress) => void;

/** The target is not empty, or the copy is not what was read. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
}

function statementOn({ isSeparate }: Part, text: string): Statement {
  return isSeparate ? separate(statement(text)) : statement(text);
}

async function* rowsOf(snapshot: Snapshot, part: Part): AsyncGenerator<readonly ResultRow[]> {
  const { name, columns, always } = part;
  const all = statementOn(part, `select ${columns.join(', ')} from ${name}`);
  for await (const rows of snapshot.rows(all)) {
    if (name === DEPLOYMENT.name) yield rows.filter(([own]) => !OWN_VALUES.includes(String(own)));
    else if (always === undefined) yield rows;
    else
      yield rows.map((row) =>
        columns.map((column, i) => (column in always ? always[column] : row[i]) ?? null),
      );
  }
}

/** Scans a part, passes its rows on and sums them. */
async function scan(
  snapshot: Snapshot,
  part: Part,
  onProgress: (rows: number) => void,
  onRows: (rows: readonly ResultRow[], sum: Checksum) => Promise<void> = async () => {},
): Promise<Sum> {
  const sum = new Checksum();
  for await (const rows of rowsOf(snapshot, part)) {
    await onRows(rows, sum);
    sum.add(rows);
    onProgress(sum.rows);
  }
  return sum.of(part);
}

/** The statement that writes rows; those with the same key, such as accounts of an import, are replaced. */
function putStatement(part: Part, rows: readonly ResultRow[]): Statement {
  const { name, columns, keys = 1 } = part;
  const set = columns.slice(keys).map((column) => `${column} = excluded.${column}`);
  const update = set.length === 0 ? 'nothing' : `update set ${set.join(', ')}`;
  const replace = `on conflict (${columns.slice(0, keys).join(', ')}) do ${update}`;
  const insert = insertRows(name, columns, rows, replace);
  return part.isSeparate ? separate(insert) : insert;
}

async function copyPart(
  from: Snapshot,
  to: Store,
  part: Part,
  onProgress: (rows: number) => void,
): Promise<Sum> {
  let rows: ResultRow[] = [];
  const write = async () => {
    await to.write(...inParts(rows, ROWS_AT_ONCE).map((some) => putStatement(part, some)));
    rows = [];
  };
  const sum = await scan(from, part, onProgress, async (more) => {
    rows.push(...more);
    if (rows.length >= ROWS_A_TRANSACTION) await write();
  });
  await write();
  return sum;
}

async function copyList(
  from: Snapshot,
  to: Store,
  table: Table,
  part: Part,
  onProgress: (rows: number) => void,
): Promise<Sum> {
  const load = await to.load(table);
  try {
    const sum = await scan(from, part, onProgress, async (rows, { rows: before }) =>
      load.add(
        rows,
        rows.map((_, i) => before + i),
      ),
    );
    await load.commit();
    return sum;
  } catch (error) {
    await load.rollback();
    throw error;
  }
}

/** The parts that hold rows, with how many. */
async function filledParts(store: Store): Promise<string[]> {
  const held = partsOf({}).filter(({ name }) => name !== DEPLOYMENT.name);
  const counts = await store.read(...held.map(({ name }) => statement(`select count(*) from ${name}`)));
  return held.flatMap(({ name }, i) =>
    Number(counts[i]?.[0]?.[0]) > 0 ? [`${name} (${counts[i]?.[0]?.[0]})`] : [],
  );
}

/**
 * Refuses a store in which data would be lost.
 * @throws {CopyRefused}
 */
export async function mustBeEmpty(store: Store): Promise<void> {
  const filled = await filledParts(store);
  if (filled.length === 0 || (await deploymentValue(store, COPYING)) !== undefined) return;
  throw new CopyRefused(`The target is not empty: it has ${filled.join(', ')}. Nothing was copied.`);
}

/** Reads everything and writes nothing: what a copy would read. */
export async function sumUp(
  store: Store,
  doing: CopyProgress['doing'],
  onProgress: Progress,
): Promise<Sum[]> {
  const snapshot = await store.snapshot();
  try {
    const sums: Sum[] = [];
    for (const part of partsOf(declaredOf((await snapshot.read(declarationsStatement))[0]))) {
      sums.push(await scan(snapshot, part, (rows) => onProgress({ doing, part: part.name, rows })));
    }
    return sums;
  } finally {
    await snapshot.close();
  }
}

/**
 * Copies everything into an empty store, or into one with an incomplete copy, which is replaced.
 * @returns what was copied, part by part.
 * @throws {CopyRefused} when the target is not empty, or the copy differs from the source.
 */
export async function copyStore(from: Store, to: Store, onProgress: Progress): Promise<Sum[]> {
  await mustBeEmpty(to);
  const mark = `${timestampOf()} ${randomUUID()}`;
  // Delete what an incomplete copy has left, children first.
  const clear = partsOf({})
    .toReversed()
    .filter(({ name }) => name !== DEPLOYMENT.name);
  await to.write(
    setDeploymentValue(COPYING, mark),
    ...clear.map((part) => statementOn(part, `delete from ${part.name}`)),
  );
  const snapshot = await from.snapshot();
  const sums: Sum[] = [];
  try {
    const report = (part: Part) => (rows: number) => onProgress({ doing: 'copying', part: part.name, rows });
    const declared = declaredOf((await snapshot.read(declarationsStatement))[0]);
    for (const list of listParts(declared))
      sums.push(await copyList(snapshot, to, list.table, list, report(list)));
    await to.write(...LOGS.map(({ name }) => statement(`delete from ${name}`)));
    for (const part of ROWS) sums.push(await copyPart(snapshot, to, part, report(part)));
  } finally {
    await snapshot.close();
  }
  const copied = await sumUp(to, 'comparing', onProgress);
  const different = sums.filter(
    ({ rows, checksum }, i) => rows !== copied[i]?.rows || checksum !== copied[i].checksum,
  );
  if (different.length > 0) {
    throw new CopyRefused(
      `What stands in the target is not what was read: ${different.map(({ name }) => name).join(', ')}. It will not serve; copy again.`,
    );
  }
  const [ended] = await to.write(forgetDeploymentValue(COPYING, mark));
  if (ended !== 1)
    throw new CopyRefused('Another copy into the target was begun meanwhile: wait for it, and copy again.');
  return sums;
}
