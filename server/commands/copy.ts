// `linecard-server copy`: copies a store into another, shows how far it is, and prints what was copied.

import type { Settings } from '../config.ts';
import { Failed, WrongUsage } from '../errors.ts';
import { type CopyProgress, CopyRefused, copyStore, mustBeEmpty, type Sum, sumUp } from '../store/copy.ts';
import { openStore } from '../store/open.ts';
import { type Store, StoreEmpty } from '../store/store.ts';
import { printRows } from './print.ts';

const REDRAW_MILLISECONDS = 100;
const CLEAR_LINE = '\r\x1b[K';

const say = (message: string) => process.stderr.write(`${message}\n`);

/** A line that moves, on a terminal only. */
function display() {
  let drawn = Number.NEGATIVE_INFINITY;
  return {
    show({ doing, part, rows }: CopyProgress): void {
      const now = performance.now();
      if (!process.stderr.isTTY || now - drawn < REDRAW_MILLISECONDS) return;
      drawn = now;
      process.stderr.write(
        `${CLEAR_LINE}${doing} ${part.replaceAll('_', ' ')}: ${rows.toLocaleString('en')} rows`,
      );
    },
    end: () => process.stderr.isTTY && process.stderr.write(CLEAR_LINE),
  };
}

/** The store if there is one; a target that does not exist yet is as empty as can be. */
async function openTarget(url: string, dry_run: boolean, options: Parameters<typeof openStore>[2]) {
  try {
    return await openStore(url, dry_run ? 'read' : 'write', options);
  } catch (error) {
    if (dry_run && error instanceof StoreEmpty) return undefined;
    throw error;
  }
}

async function tryOut(
  from: Store,
  to: Store | undefined,
  onProgress: (p: CopyProgress) => void,
): Promise<Sum[]> {
  if (to !== undefined) await mustBeEmpty(to);
  return sumUp(from, 'reading', onProgress);
}

/** @throws {Failed} when the target is not empty, or at the end is not what the source was. */
export async function runCopy({
  from,
  to,
  dry_run,
  output,
  database_pooler,
}: Pick<Settings, 'from' | 'to' | 'dry_run' | 'output' | 'database_pooler'>): Promise<void> {
  if (from === undefined || to === undefined)
    throw new WrongUsage('Say what to copy where: --from URL --to URL.');
  const options = { pooler: database_pooler };
  const source = await openStore(from, 'read', options);
  const line = display();
  const onProgress = (progress: CopyProgress) => line.show(progress);
  let target: Store | undefined;
  try {
    target = await openTarget(to, dry_run, options);
    const sums =
      dry_run || target === undefined
        ? await tryOut(source, target, onProgress)
        : await copyStore(source, target, onProgress);
    line.end();
    printRows(output, ['name', 'rows', 'checksum'], sums);
    say(dry_run ? 'Nothing was written: this is what would be copied.' : 'Copied, read back, and the same.');
  } catch (error) {
    line.end();
    throw error instanceof CopyRefused ? new Failed(error.message, { cause: error }) : error;
  } finally {
    await source.close();
    await target?.close();
  }
}
