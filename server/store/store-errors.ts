// What a store fails with.

/** The database cannot be reached at the moment: trying again later may help. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';

  /** The deadline has passed. */
  static late(): StoreUnavailable {
    return new StoreBusy('The database did not answer in time.');
  }
}

/** Something else has the database, such as an import that holds a lock: it passes. */
export class StoreBusy extends StoreUnavailable {}

/**
 * The row guard: what came back does not belong to the statement, so nothing of it may be used. Each is
 * counted, in the thread that made it.
 */
export class ForeignRows extends StoreUnavailable {
  static count = 0;

  constructor(message = 'The database returned rows that were not requested. The connection was dropped.') {
    super(message);
    ForeignRows.count += 1;
  }
}

/** What was opened is not there any more: it was removed, or something else stands in its place. */
export class StoreGone extends StoreUnavailable {
  override readonly name: string = 'StoreGone';
}

/** The database is not one that this program can work on; the message says why and what to do. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
}

/** There is nothing there yet that could be read. */
export class StoreEmpty extends StoreRefused {
  /** What there is not, without what to do about it. */
  readonly what: string;

  constructor(what: string, advice = '') {
    super(`${what} ${advice}`.trimEnd());
    this.what = what;
  }
}
