// An account that is created or changed together with the account that it is below.

import { Failed } from '../errors.ts';
import { parentFaultText } from '../import/account-faults.ts';
import { NO_PARENT } from '../settings/options.ts';
import type { AccountChange } from '../store/accounts.ts';
import { AccountsLoad } from '../store/accounts-load.ts';
import { processActor } from '../store/audit.ts';
import type { Store } from '../store/store.ts';
import { WAITING } from './import.ts';
import { say } from './print.ts';

/**
 * Creates or changes an account that is to have a parent, as an import of one row does; false when it exists
 * already, or does not.
 * @throws {Failed} when the parent is unknown, or makes a loop or too many levels.
 */
export async function writeBelow(
  store: Store,
  id: string,
  { name, currency }: AccountChange,
  { parent, isNew }: { readonly parent: string; readonly isNew: boolean },
): Promise<boolean> {
  const by = { origin: 'command', actor: processActor() } as const;
  const load = await AccountsLoad.begin(store, by, { onWait: () => say(WAITING) });
  try {
    const code = currency === null ? '' : (currency ?? null);
    await load.add([[id, name ?? null, code, parent === NO_PARENT ? '' : parent, null]], [1]);
    const { first } = await load.parentFaults(1);
    for (const fault of first) throw new Failed(`--parent ${parent}: ${parentFaultText(fault)}`);
    const isWanted = ((await load.prepare()).inserted === 1) === isNew;
    if (isWanted) await load.commit();
    return isWanted;
  } finally {
    await load.rollback();
  }
}
