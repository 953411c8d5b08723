// What a person sees of an import: a line that moves while it runs, on a terminal only, and one sentence at its end.

import type { WriteStream } from 'node:tty';
import type { List } from '@linecard/client/contract/list';
import type { ImportProgress, ImportSummary } from '../import/import.ts';

const REDRAW_MILLISECONDS = 100;
const CLEAR_LINE = '\r\x1b[K';

const count = (n: number) => n.toLocaleString('en');

function line({ doing, rows, bytes, total_bytes }: ImportProgress, seconds: number): string {
  if (doing === 'finishing') return `${count(rows)} rows read; storing them …`;
  const speed = seconds > 0 ? `, ${count(Math.round(rows / seconds))} rows/s` : '';
  const part = total_bytes ? `, ${Math.min(100, Math.floor((100 * bytes) / total_bytes))} %` : '';
  return `${count(rows)} rows read${speed}${part}`;
}

/** Shows the progress of one import; `end` takes the moving line away. */
export function progressDisplay(output: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY'>>) {
  const begin = performance.now();
  let drawn = Number.NEGATIVE_INFINITY;
  const clear = () => {
    if (output.isTTY === true) output.write(CLEAR_LINE);
  };
  return {
    show(progress: ImportProgress): void {
      if (progress.doing === 'waiting') {
        clear();
        output.write('Another command is writing to the database; waiting for it to end. Ctrl-C gives up.\n');
        return;
      }
      const now = performance.now();
      if (output.isTTY !== true || (now - drawn < REDRAW_MILLISECONDS && progress.doing === 'reading'))
        return;
      drawn = now;
      output.write(`${CLEAR_LINE}${line(progress, (now - begin) / 1_000)}`);
    },
    end: clear,
  };
}

/** The last line of an import that was done. */
export function summaryLine(list: List, summary: ImportSummary, milliseconds: number): string {
  const { rows, inserted, updated, unchanged, removed, accounts_created } = summary;
  const made =
    accounts_created === 0
      ? ''
      : `; ${count(accounts_created)} new account${accounts_created === 1 ? '' : 's'}`;
  return (
    `${list.title}: ${count(rows)} row${rows === 1 ? '' : 's'} read, ${count(inserted)} inserted, ${count(updated)} updated, ` +
    `${count(unchanged)} unchanged, ${count(removed)} removed${made} (${(milliseconds / 1_000).toFixed(1)} s).`
  );
}
