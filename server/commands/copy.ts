// `linecard-server copy`: copies a database into another, with progress, and prints what was copied.

import { Failed, WrongUsage } from '../errors.ts';
import type { Values } from '../settings/config.ts';
import { type CopyProgress, CopyRefused, copyStore, mustBeEmpty, type Sum, sumUp } from '../store/copy.ts';
import { openStore } from '../store/open.ts';
import type { Purpose, Store, StoreOptions } from '../store/store.ts';
import { StoreEmpty, StoreRefused } from '../store/store-errors.ts';
import { stoppable } from './import.ts';
import { count, ProgressLine, printRows, say } from './print.ts';

const STOPPED =
  'Stopped. The target is incomplete and cannot be used by other commands: run linecard-server copy again.';

type CopySettings = Pick<Values, 'from' | 'to' | 'dry_run' | 'json' | 'database_pooler'>;

/**
 * Opens one of the databases. Errors name its option.
 * @throws {Failed | StoreUnavailable}
 */
async function opened(
  setting: '--from' | '--to',
  url: string,
  purpose: Purpose,
  options: StoreOptions,
): Promise<Store> {
  try {
    return await openStore(url, purpose, options);
  } catch (error) {
    if (!(error instanceof StoreRefused) || (setting === '--to' && error instanceof StoreEmpty)) throw error;
    const why = error instanceof StoreEmpty ? error.what : error.message;
    throw new Failed(`${setting}: ${why.replaceAll('--database-url', setting)}`, { cause: error });
  }
}

/** Opens the target; `undefined` if a dry run finds none, which counts as empty. */
async function openTarget(url: string, dryRun: boolean, options: StoreOptions): Promise<Store | undefined> {
  try {
    return await opened('--to', url, dryRun ? 'read' : 'write', { ...options, isCopyTarget: true });
  } catch (error) {
    if (dryRun && error instanceof StoreEmpty) return undefined;
    throw error;
  }
}

async function copyUntil(
  signal: AbortSignal,
  source: Store,
  target: Store | undefined,
  dryRun: boolean,
): Promise<Sum[]> {
  const line = new ProgressLine();
  const onProgress = ({ doing, part, rows }: CopyProgress) => {
    signal.throwIfAborted();
    line.show(`${doing} ${part.replaceAll('_', ' ')}: ${count(rows)} rows`);
  };
  try {
    if (!dryRun && target !== undefined) return await copyStore(source, target, onProgress);
    if (target !== undefined) await mustBeEmpty(target);
    return await sumUp(source, 'reading', onProgress);
  } catch (error) {
    if (signal.aborted) throw new Failed(dryRun ? 'Stopped.' : STOPPED, { cause: error });
    throw error instanceof CopyRefused ? new Failed(error.message, { cause: error }) : error;
  } finally {
    line.clear();
  }
}

/** @throws {Failed} if the target is not empty, or differs from the source at the end. */
export async function runCopy({ from, to, dry_run, json, database_pooler }: CopySettings): Promise<void> {
  if (from === undefined || to === undefined)
    throw new WrongUsage('Specify both databases: --from URL --to URL.');
  const options = { pooler: database_pooler };
  const source = await opened('--from', from, 'read', options);
  let target: Store | undefined;
  try {
    target = await openTarget(to, dry_run, options);
    const sums = await stoppable((signal) => copyUntil(signal, source, target, dry_run));
    await printRows(json, ['name', 'rows', 'checksum'], sums);
    say(
      dry_run
        ? 'Nothing was written: this is what would be copied.'
        : 'Copied. Source and target were compared and are equal.',
    );
  } finally {
    await source.close();
    await target?.close();
  }
}
