// What a drill is: something that is done to Linecard for real, again and again, and counted. It must not
// know what is done.

/** What was done so often, and how often it did not come out as it must. */
export interface DrillResult {
  readonly did: string;
  readonly count: number;
  readonly wrong: number;
  /** A figure that was measured, or the first of what was wrong. */
  readonly note?: string;
}

export type DrillSize = 'short' | 'long';

export interface Drill {
  readonly name: string;
  /** What must hold, sentence by sentence. */
  readonly proves: readonly string[];
  /** The ordinary test that does the same in short, where there is one. */
  readonly short?: string;
  run(size: DrillSize, report: (line: string) => void): Promise<readonly DrillResult[]>;
}
