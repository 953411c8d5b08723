// Changes (docs/generated/api.md, "Changes"): what of a list is another than it was, so that a copy of it can
// be brought up to date.

/** Stands for a token where only the token to go on from is wanted. */
export const SINCE_NOW = 'now';

/** One item that may be another than it was. Applying it twice is harmless. */
export interface Change<Item> {
  readonly id: number;
  /** The item as it is now; `null` where the list, with these filters, does not have it. */
  readonly item: Item | null;
}

/** Members of a page of changes, in the order they are written. */
export const changesEnvelope = {
  data: 'What may be another than it was. Applying a change twice is harmless.',
  since: 'The token to go on from.',
  more: 'Whether there are more changes; where there are none, a copy that has applied all of them equals the list.',
  total: 'How many items match now: what a copy holds once there are no more changes.',
} as const;

/** A page of changes as an answer carries it: exactly these members, in this order. */
export interface ChangesPage<Item> {
  readonly data: readonly Change<Item>[];
  /** The token to go on from. */
  readonly since: string;
  /** Where it is false, a copy that has applied all changes equals the list as of this answer. */
  readonly more: boolean;
  /** How many items match now: what such a copy holds. */
  readonly total: number;
}

/** The last line of a stream of changes, one to a line; a stream without it was cut off. */
export type ChangesEnd = Pick<ChangesPage<never>, 'since' | 'total'>;
