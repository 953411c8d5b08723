// How an import ends without a fault in any row, and with nothing changed.

export const UNCHANGED = 'Nothing was imported: the lists are as they were.';

/** There is no fault in any row, but the import is not of the size that was expected. */
export class ImportWithheld extends Error {
  override readonly name = 'ImportWithheld';

  constructor(why: string) {
    super(`${why} ${UNCHANGED}`);
  }
}

/** A file has more bytes, once unpacked, than it may. */
export class ImportTooLarge extends Error {
  override readonly name = 'ImportTooLarge';
}

/** The import was stopped before its end, and everything is as it was. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped';

  constructor(message = `Stopped. ${UNCHANGED}`, options?: ErrorOptions) {
    super(message, options);
  }
}
