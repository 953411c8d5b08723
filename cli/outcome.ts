// The two ways in which a command fails.

/** Exit status 2. The message says what the command takes. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

/** Exit status 1. The message says why and what to do. */
export class Failed extends Error {
  override readonly name = 'Failed';
}
