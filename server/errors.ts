// The two ways in which a command fails as expected: wrong usage, and what could not be done.

/** A setting or an argument whose text is not allowed; the message names its source. Exit status 2. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

/** A command that could not do its work; the message says why and what to do next. Exit status 1. */
export class Failed extends Error {
  override readonly name = 'Failed';
}
