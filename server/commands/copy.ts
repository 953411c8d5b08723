// `linecard-server copy`: copies a store into another, shows how far it is, and prints what was copied.

import { Failed, WrongUsage } from '../errors.ts';
import type { Settings } from '../settings/settings.ts';
import { type CopyProgress, CopyRefused, copyStore, mustBeEmpty, type Sum, sumUp } from '../store/copy.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { StoreEmpty } from '../store/store-errors.ts';
import { count, ProgressLine, printRows, say } from './print.ts';

/** The target; `undefined` where a dry run finds none, which counts as empty. */
async function openTarget(url: string, dryRun: boolean, options: Parameters<typeof openStore>[2]) {
  try {
    return await openStore(url, dryRun ? 'read' : 'write', options);
  } catch (error) {
    if (dryRun && error instanceof StoreEmpty) return undefined;
    throw error;
  }
}

async function rehearse(
  from: Store,
  to: Store | undefined,
  onProgress: (progress: CopyProgress) => void,
): Promise<Sum[]> {
  if (to !== undefined) await mustBeEmpty(to);
  return sumUp(from, 'reading', onProgress);
}

/** @throws {Failed} when the target is not empty, or at the end is not what the source was. */
export async function runCopy({
  from,
  to,
  dry_run,
  json,
  database_pooler,
}: Pick<Settings, 'from' | 'to' | 'dry_run' | 'json' | 'database_pooler'>): Promise<void> {
  if (from === undefined || to === undefined)
    throw new WrongUsage('Name both databases: --from URL --to URL.');
  const options = { pooler: database_pooler };
  const source = await openStore(from, 'read', options);
  const line = new ProgressLine();
  const onProgress = ({ doing, part, rows }: CopyProgress) =>
    line.draw(`${doing} ${part.replaceAll('_', ' ')}: ${count(rows)} rows`);
  let target: Store | undefined;
  try {
    target = await openTarget(to, dry_run, options);
    const sums =
      dry_run || target === undefined
        ? await rehearse(source, target, onProgress)
        : await copyStore(source, target, onProgress);
    line.clear();
    printRows(json, ['name', 'rows', 'checksum'], sums);
    say(
      dry_run
        ? 'Nothing was written: this is what would be copied.'
        : 'Copied, read back and compared: the same.',
    );
  } catch (error) {
    line.clear();
    throw error instanceof CopyRefused ? new Failed(error.message, { cause: error }) : error;
  } finally {
    await source.close();
    await target?.close();
  }
}
