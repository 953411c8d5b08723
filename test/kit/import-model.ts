// A naive model of an import, over arrays: what the lists hold after it, and what it says it did. It knows
// docs/how-to/import-files.md and nothing of how Linecard works.

import { isDeepStrictEqual } from 'node:util';

export interface ModelItem {
  readonly account_id: string;
  readonly id: number;
  readonly comment: string;
  readonly monthly: number;
  /** Of an additional service, which is listed only where it is `additional`. */
  readonly category?: Category;
}

export type Category = 'additional' | 'core';

/** A row of a file: what it does not have is `undefined`. */
export interface ModelRow {
  readonly account_id: string;
  readonly id: number;
  readonly comment?: string;
  readonly monthly?: number;
  readonly category?: Category;
  readonly removed?: boolean;
}

export interface ModelRun {
  readonly rows: readonly ModelRow[];
  readonly mode: 'insert' | 'update' | 'replace' | 'replace-all';
  readonly isService?: boolean;
  /** Whether items that are there get the defaults of what a row does not have. */
  readonly defaults?: boolean;
  readonly account_id?: string;
  /** `7`, `30%`, or absent. */
  readonly maxRemoved?: string;
  readonly maxMoved?: string;
  readonly expectRows?: number;
  readonly dryRun?: boolean;
}

export interface ModelResult {
  /** What the list holds afterwards, by id. */
  readonly items: readonly ModelItem[];
  /** `undefined` where the run is refused. */
  readonly counts: Readonly<Record<string, number>> | undefined;
  /** Accounts that change, with how many rows are inserted, updated, removed, moved in and moved out. */
  readonly changes: readonly (readonly [account_id: string, ...counts: number[]])[];
  /** Whether a dry run says that it would be refused for its size. */
  readonly isWithheld: boolean;
}

function limitOf(given: string | undefined, total: number, usual: number): number {
  if (given?.endsWith('%') === true) return (total * Number(given.slice(0, -1))) / 100;
  return given === undefined ? usual : Number(given);
}

/** Whether more would go, or go to other accounts, than may. */
function isTooMuch(
  { mode, rows, maxRemoved, maxMoved }: ModelRun,
  [before, gone, moved]: readonly [number, number, number],
): boolean {
  const most = mode.startsWith('replace') ? Math.max(100, before * 0.2) : Number.POSITIVE_INFINITY;
  return (
    gone > limitOf(maxRemoved, before, most) ||
    moved > limitOf(maxMoved, rows.length, Math.max(100, rows.length * 0.01))
  );
}

function applied(
  row: ModelRow,
  old: ModelItem | undefined,
  { mode, isService, defaults }: ModelRun,
): ModelItem {
  const kind: Pick<ModelItem, 'category'> = isService === true ? { category: 'additional' } : {};
  const keeps = mode === 'update' || defaults !== true;
  const base = keeps && old !== undefined ? old : { comment: '', monthly: 0, ...kind };
  const { account_id, id, comment = base.comment, monthly = base.monthly, category = base.category } = row;
  return { account_id, id, comment, monthly, ...(category === undefined ? {} : { category }) };
}

/** What the customer of an account sees of its list. */
export const listedIn = (items: readonly ModelItem[], account_id: string): readonly ModelItem[] =>
  items.filter((item) => item.account_id === account_id && (item.category ?? 'additional') === 'additional');

/** What an import makes of the items that there are. */
export function imported(items: readonly ModelItem[], run: ModelRun): ModelResult {
  const { rows, mode } = run;
  const refused: ModelResult = { items, counts: undefined, changes: [], isWithheld: false };
  const find = (id: number) => items.find((item) => item.id === id);
  const staying = rows.filter(({ removed }) => removed !== true);
  if (new Set(rows.map(({ id }) => id)).size < rows.length) return refused;
  if (mode === 'update' && staying.some((row) => find(row.id)?.account_id !== row.account_id)) return refused;
  const isOther = run.expectRows !== undefined && run.expectRows !== rows.length;

  const named = new Set(rows.map(({ account_id }) => account_id));
  if (run.account_id !== undefined) named.add(run.account_id);
  const isReplaced = ({ account_id }: ModelItem) =>
    mode === 'replace-all' || (mode === 'replace' && named.has(account_id));
  const isRemoved = (item: ModelItem) =>
    rows.some((row) => row.removed === true && row.id === item.id && row.account_id === item.account_id) ||
    (isReplaced(item) && !staying.some(({ id }) => id === item.id));
  const removed = items.filter(isRemoved);
  const before = items.filter((item) => mode === 'replace-all' || named.has(item.account_id)).length;
  const now = staying.map((row) => applied(row, find(row.id), run));
  const movedIn = now.filter((item) => (find(item.id)?.account_id ?? item.account_id) !== item.account_id);
  const movedOut = movedIn.flatMap(({ id }) => find(id) ?? []);
  // What leaves an account that the rows name counts as removed from it.
  const leaving = movedOut.filter(({ account_id }) => named.has(account_id));
  const isWithheld = isOther || isTooMuch(run, [before, removed.length + leaving.length, movedIn.length]);
  if (isWithheld && run.dryRun !== true) return refused;

  const inserted = now.filter(({ id }) => find(id) === undefined);
  const differs = (item: ModelItem) => !isDeepStrictEqual(item, find(item.id));
  const updated = now.filter((item) => find(item.id) !== undefined && differs(item));
  const untouched = items.filter((item) => !isRemoved(item) && !staying.some(({ id }) => id === item.id));
  const concerned = [...inserted, ...updated, ...removed, ...movedOut];
  const accounts = [...new Set(concerned.map(({ account_id }) => account_id))];
  const of = (account_id: string, some: readonly ModelItem[]) =>
    some.filter((item) => item.account_id === account_id).length;
  return {
    items: run.dryRun === true ? items : [...untouched, ...now].toSorted((a, b) => a.id - b.id),
    counts: {
      rows: rows.length,
      left_out: 0,
      inserted: inserted.length,
      updated: updated.length,
      moved: movedIn.length,
      unchanged: now.length - inserted.length - updated.length,
      removed: removed.length,
      absent: rows.filter((row) => row.removed === true && find(row.id)?.account_id !== row.account_id)
        .length,
    },
    changes: accounts
      .toSorted()
      .map(
        (id) => [id, ...[inserted, updated, removed, movedIn, movedOut].map((some) => of(id, some))] as const,
      ),
    isWithheld,
  };
}
