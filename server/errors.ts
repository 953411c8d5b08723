// The two expected failures of a command: wrong usage, and failure to do its work.

/** An invalid setting or argument; the message names its source. Exit status 2. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

/** The command failed; the message says why and what to do next. Exit status 1. */
export class Failed extends Error {
  override readonly name = 'Failed';
}
