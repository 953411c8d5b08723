// The ways in which a command does not succeed.

/** Exit status 2. The message says what the command takes. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

/** Exit status 1. The message says why and what to do. */
export class Failed extends Error {
  override readonly name = 'Failed';
}

/** Exit status 1 without a message: what was compared differs, and the output says how. */
export class Differs extends Error {
  override readonly name = 'Differs';
}
