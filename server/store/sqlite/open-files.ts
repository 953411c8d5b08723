// Whether the files that a connection has open are still those of their names. SQLite continues to read a
// file that was removed or replaced: tokens that were revoked since would be valid for ever.

import { statSync } from 'node:fs';
import { StoreGone } from '../store-errors.ts';
import { COMPANIONS } from './files.ts';

const CHECK_MILLISECONDS = 250;

/** What a file is whatever its name; `undefined` where there is none. */
function identity(path: string): string | undefined {
  const file = statSync(path, { throwIfNoEntry: false });
  return file && `${file.dev}:${file.ino}`;
}

export class OpenFiles {
  readonly #identities: Map<string, string | undefined>;
  #checkedAt = performance.now();
  #fault: string | undefined;

  /** To be made before the files are opened, so that none can be replaced in between. */
  constructor(paths: readonly string[]) {
    this.#identities = new Map(paths.map((path) => [path, identity(path)]));
  }

  /** To be called when they are open: their companions belong to them from here on. */
  addCompanions(): void {
    for (const path of [...this.#identities.keys()]) {
      for (const end of COMPANIONS) {
        const companion = identity(path + end);
        if (companion !== undefined) this.#identities.set(path + end, companion);
      }
    }
  }

  /**
   * Looks a few times a second.
   * @throws {StoreGone} until a file that was moved away is back.
   */
  mustBeThere(now: number): void {
    if (now - this.#checkedAt >= CHECK_MILLISECONDS) {
      this.#checkedAt = now;
      this.#fault = this.#findFault();
    }
    if (this.#fault !== undefined) throw new StoreGone(this.#fault);
  }

  #findFault(): string | undefined {
    for (const [path, opened] of this.#identities) {
      const now = identity(path);
      if (now === opened) continue;
      const what = now === undefined ? 'removed' : 'replaced';
      return `${path} was ${what} while it was open. Put it back, or start again on what is there now.`;
    }
    return undefined;
  }
}
