// How a command can end other than well.

/** A setting or an argument whose text is no good; the message names where it came from. Exit status 2. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

/** A command that could not do what it was asked; the message says why and what to do. Exit status 1. */
export class Failed extends Error {
  override readonly name = 'Failed';
}
