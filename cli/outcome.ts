// How a command can end other than well.

/** Words that the command does not take; the message names them and says what it takes. Exit status 2. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

/** A command that could not do its work; the message says why and what to do. Exit status 1. */
export class Failed extends Error {
  override readonly name = 'Failed';
}
