// What a copy of a list was read from: as far as tokens of changes and cursors must know it to tell later
// what the copy lacks.
//
// Why a place in the log is not enough: pages carry current items, and so may hold values that are newer than
// the place. When a backup is restored those values never were, and nothing in the log says so. So the newest
// sequence that anything was read at is remembered with its revision, which is random: where the history of
// the account does not have it, what was read cannot be brought up to date
// (docs/decisions/014-change-tokens.md).

/** What was read, and when. */
export interface Reading {
  /** The last sequence whose changes were read, every one. */
  readonly base: number;
  /** The newest sequence that anything was read at, and how its revision begins. */
  readonly seen: number;
  readonly mark: string;
}

/** 60 bits or more of a revision, whichever way it is written. */
const MARK_CHARACTERS = 18;

/** A revision of an account, and its number. */
export interface Revision {
  readonly revision: string;
  readonly sequence: number;
}

const markOf = (revision: string) => revision.slice(0, MARK_CHARACTERS);

/** What is read at a revision, by which everything up to `base` is known. */
export function readingAt({ revision, sequence }: Revision, base: number): Reading {
  return { base, seen: sequence, mark: markOf(revision) };
}

/** Whether what was read then is of the history that leads to the present revision. */
export function isOfHistory(
  { seen, mark }: Pick<Reading, 'seen' | 'mark'>,
  now: Revision,
  revisionAtSeen: string | null | undefined,
): boolean {
  const known = seen === now.sequence ? now.revision : (revisionAtSeen ?? '');
  return markOf(known) === mark;
}

/**
 * What a page and, where a cursor has led to it, those before it were read from; `undefined` where that is
 * not of one history.
 */
export function readingOfPages(
  cursor: { readonly reading?: Reading | undefined } | undefined,
  now: Revision,
  revisionAtSeen: string | null | undefined,
): Reading | undefined {
  if (cursor === undefined) return readingAt(now, now.sequence);
  const { reading } = cursor;
  if (reading === undefined || !isOfHistory(reading, now, revisionAtSeen)) return undefined;
  return readingAt(now, reading.base);
}

/** As it is written into a cursor. */
export type ReadingParts = readonly [base: number, seen: number, mark: string];

export function readingParts({ base, seen, mark }: Reading): ReadingParts {
  return [base, seen, mark];
}

export function readingOf([base, seen, mark]: ReadingParts): Reading {
  return { base, seen, mark };
}
