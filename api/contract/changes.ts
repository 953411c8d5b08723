// Changes (docs/generated/api.md, "Changes"): what has changed in a list, so that a copy can be updated.

/** In place of a token, where only a new token is wanted. */
export const SINCE_NOW = 'now';

/** One item that may have changed. Applying a change twice is harmless. */
export interface Change<Item> {
  readonly id: number;
  /** The current item; `null` where it is not in the list with these filters. */
  readonly item: Item | null;
}

/** In the order they are written. */
export const changesEnvelope = {
  data: 'What may be another than it was. Applying a change twice is harmless.',
  since: 'The token to go on from.',
  more: 'Whether there are more changes; where there are none, a copy that has applied all of them equals the list.',
  total: 'How many items match now: what a copy holds once there are no more changes.',
} as const;

/** The members in the order of `CHANGES_MEMBERS`. */
export interface ChangesPage<Item> {
  readonly data: readonly Change<Item>[];
  /** The token to continue from. */
  readonly since: string;
  /** If false, a copy that has applied all changes equals the list as of this answer. */
  readonly more: boolean;
  /** How many items match now, which is how many such a copy holds. */
  readonly total: number;
}

/** The last line of a stream of changes; a stream without it was cut off. */
export type ChangesEnd = Pick<ChangesPage<never>, 'since' | 'total'>;
