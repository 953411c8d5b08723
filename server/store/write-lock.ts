// Locks: the wait for the write lock (one writer at a time, the next one polls), and the lock of an account.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Dialect } from './dialects.ts';
import { type Statement, statement } from './sql.ts';
import type { LoadOptions } from './store.ts';
import { StoreBusy } from './store-errors.ts';

/** How long to wait for the lock, how often to try, and when to report the wait. */
const TIMEOUT_MILLISECONDS = 600_000;
const RETRY_MILLISECONDS = 100;
const REPORT_AFTER_MILLISECONDS = 1_000;
/** What holds the lock where the database does not say, as at the beginning of a sentence. */
export const ANOTHER_WRITER = 'Another command, such as an import,';

/**
 * Tries until the lock is taken; `holder` names what holds it, as at the beginning of a sentence.
 * @throws {StoreBusy} when that takes too long.
 */
export async function waitForWriteLock(
  holder: () => string,
  tryLock: () => boolean | Promise<boolean>,
  { lockTimeoutMs = TIMEOUT_MILLISECONDS, signal, onWait }: LoadOptions,
): Promise<void> {
  const begin = performance.now();
  let reported = false;
  while (!(await tryLock())) {
    const waited = performance.now() - begin;
    if (waited >= lockTimeoutMs) {
      const seconds = Math.round(waited / 1_000);
      throw new StoreBusy(
        `${holder()} has been writing to the database for ${seconds} seconds. Try again when it has ended.`,
      );
    }
    if (!reported && waited >= REPORT_AFTER_MILLISECONDS) {
      reported = true;
      onWait?.();
    }
    await sleep(RETRY_MILLISECONDS, undefined, { signal });
  }
}

/**
 * Locks an account: `update` against every other writer of it, imports included; `key share` only against
 * what deletes or renames it.
 */
export function lockAccount(
  { dialect }: { readonly dialect: Dialect },
  id: string,
  strength: 'update' | 'key share',
): Statement[] {
  const imports = strength === 'update' ? dialect.lockImports : undefined;
  const account = dialect.lockAccount(strength);
  return [
    ...(imports === undefined ? [] : [statement(imports)]),
    ...(account === undefined ? [] : [statement(account, id)]),
  ];
}
