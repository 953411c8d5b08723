// The size that an import must have: how many rows (`--expect-rows`), and how many items it may remove
// (`--max-removed`), move from one account to another (`--max-moved`) and change by column (`--max-changed`).

import type { Field } from '@linecard/client/contract/list';
import { nearest } from '@linecard/client/contract/suggestion';
import { listed } from '@linecard/client/contract/wording';
import type { ColumnLimit, ItemLimit } from '../settings/item-limits.ts';
import type { ColumnExample, LoadSummary } from '../store/load-summary.ts';
import type { Table } from '../store/tables.ts';
import { quoted } from './values.ts';

/** The limits where none is given: a share, and a number of items that is allowed in any case. */
const DEFAULTS = {
  removed: { percent: 20, items: 100 },
  moved: { percent: 1, items: 100 },
  changed: { percent: 20, items: 100 },
} as const;

const count = (n: number) => n.toLocaleString('en');

/** The number of items that a limit allows, of a total. */
function allowed(
  limit: ItemLimit | undefined,
  total: number,
  { percent, items }: { readonly percent: number; readonly items: number },
): number {
  const share = (of: number) => Math.floor((total * of) / 100);
  if (limit === undefined) return Math.max(items, share(percent));
  return 'items' in limit ? limit.items : share(limit.percent);
}

/** Why a run of this number of rows is refused, or `undefined` when it is not. */
export function rowsFault(rows: number, expected: number | undefined): string | undefined {
  if (expected === undefined || expected === rows) return undefined;
  return `There ${rows === 1 ? 'is 1 row' : `are ${count(rows)} rows`}, but --expect-rows says ${count(expected)}.`;
}

/** What an import would do to items: how many of how many, and how many it may. */
interface Change {
  readonly items: number;
  readonly of: number;
  /** As it was given; `undefined` for the default. */
  readonly limit: ItemLimit | undefined;
  /** Whether a dry run is advised, which shows them. */
  readonly canTry: boolean;
}

function excess(
  kind: keyof typeof DEFAULTS,
  { items, of, limit, canTry }: Change,
  what: string,
  column?: string,
): string | undefined {
  const most = allowed(limit, of, DEFAULTS[kind]);
  if (items <= most) return undefined;
  const option = `--max-${kind} ${column === undefined ? '' : `${column}=`}${items}`;
  const shows = column === undefined ? 'whose they are' : 'examples of each column';
  const advice = `If it is right, add ${option}${canTry ? `; --dry-run shows ${shows}` : ''}.`;
  return `This would ${what}, and at most ${count(most)} may be ${kind}. ${advice}`;
}

/** Why moves between accounts are refused, or `undefined` when they are not. */
export const movesFault = (moves: Change) =>
  excess('moved', moves, `move ${count(moves.items)} items from one account to another`);

/**
 * Why a removal is refused, or `undefined` when it is not.
 * @param movedOut items that leave an account of the import for another: they count as removed from it.
 */
export function removalFault({ items, movedOut, ...rest }: Change & { readonly movedOut: number }) {
  const gone = items + movedOut;
  const moving = movedOut === 0 ? '' : `, ${count(movedOut)} of them to other accounts`;
  const what = `remove ${count(gone)} of ${count(rest.of)} items${moving}`;
  return excess('removed', { ...rest, items: gone }, what);
}

/** The columns that an import may change of few items only: those that are named, and every charge. */
export function limitedColumns(
  fields: Readonly<Record<string, Pick<Field, 'kind' | 'own'>>>,
  given: readonly ColumnLimit[] = [],
): ReadonlyMap<string, ItemLimit | undefined> {
  const charges = Object.keys(fields).filter(
    // One of the operator's own is empty until it is imported for the first time.
    (name) => fields[name]?.kind === 'charge' && fields[name].own === undefined,
  );
  return new Map([
    ...charges.map((name) => [name, undefined] as const),
    ...given.map(({ column, limit }) => [column, limit] as const),
  ]);
}

/** What is wrong with the columns that are limited, of a list. */
export function limitedColumnsFault({ list }: Table, given: readonly ColumnLimit[] = []): string | undefined {
  const known = Object.keys({ ...list.fields, ...list.hidden });
  const unknown = given.find(({ column }) => !known.includes(column))?.column;
  if (unknown === undefined) return undefined;
  const meant = nearest(unknown, known);
  const hint = meant === undefined ? `Known are ${listed(known)}.` : `Did you mean ${meant}?`;
  return `--max-changed: ${quoted(unknown)} is not a column of ${list.title.toLowerCase()}. ${hint}`;
}

/** The items that a column changes of, as a message shows them. */
export function examplesText(examples: LoadSummary['examples'], name: string): string {
  const shown = (value: ColumnExample['from']) => (typeof value === 'string' ? quoted(value) : String(value));
  return examples
    .filter(({ column }) => column === name)
    .map(({ id, from, to }) => `${id} from ${shown(from)} to ${shown(to)}`)
    .join(', ');
}

/** How many items each column changes of, and how many of those that the rows name exist. */
interface ColumnsChanged extends Pick<LoadSummary, 'changed' | 'examples'> {
  readonly of: number;
  readonly limits: ReturnType<typeof limitedColumns>;
  readonly canTry: boolean;
}

/** The columns that an import changes of more items than it may. */
export const exceededColumns = ({ changed, of, limits }: Pick<ColumnsChanged, 'changed' | 'of' | 'limits'>) =>
  [...limits].flatMap(([name, limit]) =>
    (changed[name] ?? 0) > allowed(limit, of, DEFAULTS.changed) ? [name] : [],
  );

/** Why changes of columns are refused, of the first that is; `undefined` when none is. */
export function changesFault({ changed, examples, of, limits, canTry }: ColumnsChanged): string | undefined {
  const [name] = exceededColumns({ changed, of, limits });
  if (name === undefined) return undefined;
  const items = changed[name] ?? 0;
  const what = `change ${name} of ${count(items)} of ${count(of)} items (${examplesText(examples, name)})`;
  return excess('changed', { items, of, limit: limits.get(name), canTry }, what, name);
}
