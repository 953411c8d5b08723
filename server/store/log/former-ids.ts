// What was done to an account is recorded under the id that it had then: which ids are meant by one, and
// when, from the entries of what was renamed.

import { Values } from '../conditions.ts';
import { type Statement, statement } from '../sql.ts';
import type { ResultRow } from '../store.ts';

/** What is recorded under an id from one time on, and before another. */
export interface IdSpan {
  readonly id: string;
  readonly from: string;
  readonly until: string;
  /** The id still means this account until then: no other has got it yet. */
  readonly namedUntil: string;
}

interface Rename {
  readonly at: string;
  readonly from: string;
  readonly to: string;
}

/** Reads rows, in a snapshot or of a store. */
type Read = (one: Statement) => Promise<readonly ResultRow[]>;

const ALWAYS = { from: '', until: '~', namedUntil: '~' } as const;
const RENAMED = statement(
  `select at, account_id, renamed_to from account_events where event = 'renamed' order by at, id`,
);

/** The ids that renames lead to from one of them, or from which they lead to it. */
function related(id: string, renames: readonly Rename[]): string[] {
  const ids = new Set([id]);
  for (const one of ids)
    for (const { from, to } of renames) {
      if (from === one) ids.add(to);
      if (to === one) ids.add(from);
    }
  return [...ids];
}

/** When accounts began that had these ids, some of them one after the other. */
async function beginningsOf(
  read: Read,
  ids: readonly string[],
  renames: readonly Rename[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const values = new Values();
  const text = `select account_id, at from account_events
    where event = 'created' and account_id in (${ids.map((id) => values.bind(id)).join(', ')})`;
  const created = await read({ text, values: values.list });
  const all = [...created.map(([id, at]) => [id, at]), ...renames.map(({ to, at }) => [to, at])];
  return new Map(
    ids.map((id) => {
      const own = all.flatMap(([of, at]) => (of === id ? [String(at)] : []));
      return [id, own.toSorted()] as const;
    }),
  );
}

/**
 * The spans of an id: everything under it, or of the account alone that had it last; and what is recorded of
 * the same accounts under other ids.
 */
export async function spansOf(read: Read, id: string, which: 'all' | 'last'): Promise<readonly IdSpan[]> {
  const rows = (await read(RENAMED)) as readonly (readonly [at: string, from: string, to: string])[];
  const renames = rows.map(([at, from, to]) => ({ at, from, to }));
  const ids = related(id, renames);
  if (ids.length === 1) return [{ id, ...ALWAYS }];
  const beginnings = await beginningsOf(read, ids, renames);
  const of = (one: string) => beginnings.get(one) ?? [];
  const before = (one: string, at: string) => of(one).findLast((began) => began < at) ?? ALWAYS.from;
  const after = (one: string, at: string) => of(one).find((began) => began > at) ?? ALWAYS.until;
  const from = which === 'all' ? ALWAYS.from : (of(id).at(-1) ?? ALWAYS.from);
  const spans: IdSpan[] = [{ ...ALWAYS, id, from }];
  const add = (span: IdSpan) => {
    if (!spans.some((known) => known.id === span.id && known.from <= span.from && known.until >= span.until))
      spans.push(span);
  };
  for (const span of spans)
    for (const one of renames) {
      const { at } = one;
      if (at < span.from || at >= span.until) continue;
      // The entry of the rename itself is of both ids.
      if (one.to === span.id) {
        const namedUntil = after(one.from, at);
        add({ id: one.from, from: before(one.from, at), until: `${at}~`, namedUntil });
      }
      if (one.from === span.id) {
        const until = after(one.to, at);
        add({ id: one.to, from: at, until, namedUntil: until });
      }
    }
  return spans;
}

/** Whether an account that has the id now is the one that is meant. */
export const isCurrent = ({ until }: IdSpan): boolean => until === ALWAYS.until;

/** The condition that an entry is of one of the spans, by the column of its id and that of its time. */
export const spansText = (spans: readonly IdSpan[], values: Values, column: string, at: string): string =>
  spans
    .map(({ id, from, until }) => {
      const bound = [id, from, until].map((value) => values.bind(value));
      return `(${column} = ${bound[0]} and ${at} >= ${bound[1]} and ${at} < ${bound[2]})`;
    })
    .join(' or ') || 'false';
