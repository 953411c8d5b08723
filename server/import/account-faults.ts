// What is wrong with the parents that rows of an import of accounts name, as sentences.

import { MAX_ACCOUNT_LEVELS } from '../store/access/accounts.ts';
import type { ParentFault } from '../store/access/accounts-load.ts';
import type { ImportJob } from './job.ts';
import { quoted } from './values.ts';

/** A longer path is shown by its beginning. */
const MAX_SHOWN = 12;

type MayName = NonNullable<ImportJob['mayWrite']>;

const mayNameAll: MayName = () => true;

/** `"A" below "B" below "C"`; an account that the sender may not know is not named. */
function pathText(path: readonly string[], mayName: MayName): string {
  const shown = path.slice(0, MAX_SHOWN).map((id) => (mayName(id) ? quoted(id) : 'another account'));
  return [...shown, ...(path.length > MAX_SHOWN ? ['…'] : [])].join(' below ');
}

/** To follow the name of the column. */
export function parentFaultText({ kind, path }: ParentFault, mayName: MayName = mayNameAll): string {
  if (kind === 'unknown')
    return `there is no account ${quoted(path[0] ?? '')}. Create it, in this import or before, or correct the id.`;
  const text = pathText(path, mayName);
  if (kind === 'loop') return `makes a loop: ${text}. No account can be below itself: correct one of them.`;
  return `puts an account below the ${MAX_ACCOUNT_LEVELS} levels that there can be: ${text}. Choose a parent further up.`;
}

/** Whether a row is of an account that the sender may not write, or names one as its parent. */
export function isOutside(row: readonly unknown[], mayWrite: MayName | undefined): boolean {
  const [account_id, , , parent_id] = row;
  return [account_id, parent_id].some(
    (id) => typeof id === 'string' && id !== '' && mayWrite?.(id) === false,
  );
}
