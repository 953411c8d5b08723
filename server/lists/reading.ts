// What a copy of a list was read from, as tokens of changes and cursors record it, to find later what the
// copy lacks.
//
// Why a position in the log is not enough: pages carry current items, so their values may be newer than the
// position. After a backup is restored those values never existed, and nothing in the log says so. So the
// newest sequence that anything was read at is recorded with its revision, which is random: if the history of
// the account does not have it, the copy cannot be brought up to date
// (docs/decisions/014-change-tokens.md).

export interface Reading {
  /** The last sequence whose changes were read, every one. */
  readonly base: number;
  /** The newest sequence that anything was read at, and how its revision begins. */
  readonly seen: number;
  readonly mark: string;
}

/** At least 60 bits of a revision, however it is written. */
const MARK_CHARACTERS = 18;

/** A revision of an account, and its number. */
export interface Revision {
  readonly revision: string;
  readonly sequence: number;
}

const markOf = (revision: string) => revision.slice(0, MARK_CHARACTERS);

/** A reading at a revision that has everything up to `base`. */
export function readingAt({ revision, sequence }: Revision, base: number): Reading {
  return { base, seen: sequence, mark: markOf(revision) };
}

/** Whether a reading belongs to the history that leads to the present revision. */
export function isOfHistory(
  { seen, mark }: Pick<Reading, 'seen' | 'mark'>,
  now: Revision,
  revisionAtSeen: string | null | undefined,
): boolean {
  const known = seen === now.sequence ? now.revision : (revisionAtSeen ?? '');
  return markOf(known) === mark;
}

/** What the pages of a walk were read from, as its cursor says. */
export interface Walked {
  readonly reading?: Reading | undefined;
  /** The shape of the own fields that their items have, if any. */
  readonly shape?: string | undefined;
}

/**
 * What a page was read from, together with those before it if a cursor has led to it; `undefined` if that is
 * not of one history, or if the items have not the same own fields.
 */
export function readingOfPages(
  cursor: Walked | undefined,
  now: Revision & Pick<Walked, 'shape'>,
  revisionAtSeen: string | null | undefined,
): Reading | undefined {
  if (cursor === undefined) return readingAt(now, now.sequence);
  const { reading, shape } = cursor;
  const isOne = reading !== undefined && shape === now.shape && isOfHistory(reading, now, revisionAtSeen);
  return isOne ? readingAt(now, reading.base) : undefined;
}

/** A reading as a cursor contains it. */
export type ReadingParts = readonly [base: number, seen: number, mark: string];

export function readingParts({ base, seen, mark }: Reading): ReadingParts {
  return [base, seen, mark];
}

export function readingOf([base, seen, mark]: ReadingParts): Reading {
  return { base, seen, mark };
}
