// The errors of a store.

/** The database cannot be reached at the moment: trying again later may help. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';

  /** The deadline has passed. */
  static late(): StoreUnavailable {
    return new StoreBusy('The database did not answer in time.');
  }
}

/** Something else uses the database, such as an import that holds a lock: it passes. */
export class StoreBusy extends StoreUnavailable {}

/** The server undid the transaction because of another one: it may be done again at once. */
export class StoreRolledBack extends StoreUnavailable {}

/** The disk of the server is full. */
export class StoreFull extends StoreUnavailable {}

/**
 * The row guard: the result does not belong to the statement, so nothing of it may be used. Errors are
 * counted per thread.
 */
export class ForeignRows extends StoreUnavailable {
  static count = 0;

  constructor(message = 'The database returned rows that were not requested. The connection was dropped.') {
    super(message);
    ForeignRows.count += 1;
  }
}

/** What was opened no longer exists: it was removed or replaced. */
export class StoreGone extends StoreUnavailable {
  override readonly name: string = 'StoreGone';
}

/** This program cannot work on the database; the message says why and what to do. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
}

/** There is no database yet, or nothing in it. */
export class StoreEmpty extends StoreRefused {
  /** What is missing, without what to do about it. */
  readonly what: string;

  constructor(what: string, advice = '') {
    super(`${what} ${advice}`.trimEnd());
    this.what = what;
  }
}
