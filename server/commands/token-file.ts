// `linecard-server token create --accounts FILE`: a token for each account of a file, all of them or none.

import { Failed } from '../errors.ts';
import { type ImportFault, ImportRefused, lineText } from '../import/faults.ts';
import { importFile } from '../import/files.ts';
import type { FILE_OPTIONS } from '../import/job.ts';
import { readBatches } from '../import/reading.ts';
import { quoted } from '../import/values.ts';
import type { Values } from '../settings/config.ts';
import type { Store } from '../store/store.ts';
import {
  type BatchOptions,
  createTokens,
  existingAccounts,
  forgetTokens,
  type NewToken,
} from '../store/token-batch.ts';
import { readable } from './import.ts';
import { counted, deliver, say } from './print.ts';

type FileSettings = Pick<Values, (typeof FILE_OPTIONS)[number] | 'output' | 'name'>;

interface Row extends NewToken {
  readonly line: number;
}

/** Prints the faults of a file; none of its tokens was made. */
function refused(file: string, faults: readonly ImportFault[], total: number): Failed {
  const refusal = new ImportRefused([file], faults, total);
  for (const fault of refusal.faults) say(fault);
  const more = total > refusal.faults.length ? `, of which the first ${refusal.faults.length} are shown` : '';
  return new Failed(`${counted(total, 'fault')}${more}. No token was created.`);
}

/** The rows of a file with what is wrong with each of them, and the number of faults. */
async function readRows(file: string, { format, delimiter, encoding, name = '' }: FileSettings) {
  const rows: Row[] = [];
  const faults: ImportFault[] = [];
  let total = 0;
  const files = [readable(file, () => importFile(file, format))];
  const job = { list: 'tokens', rules: {}, files, takesOpenEnd: true, delimiter, encoding } as const;
  for await (const batch of readBatches(job, process.stdin)) {
    faults.push(...batch.faults);
    total = batch.totalFaults;
    for (const [i, [account_id, own]] of batch.rows.entries())
      rows.push({
        account_id: String(account_id),
        name: String(own || name),
        line: batch.lines[i] as number,
      });
  }
  return { rows, faults, total };
}

/** What is wrong with the accounts of rows: each once, and all of them there. */
function* accountFaults(
  file: string,
  rows: readonly Row[],
  known: ReadonlySet<string>,
): Generator<ImportFault> {
  const lines = new Map<string, number>();
  for (const { account_id, line } of rows) {
    const first = lines.get(account_id);
    const column = 'account_id';
    if (first !== undefined) {
      const detail = `${quoted(account_id)} is there twice; it was first given at ${lineText([file], first)}.`;
      yield { line, column, detail };
    } else if (!known.has(account_id))
      yield {
        line,
        column,
        detail: `there is no account ${quoted(account_id)}. Create it first, or correct the id.`,
      };
    lines.set(account_id, first ?? line);
  }
}

const csvCell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/**
 * Creates the tokens and prints them.
 * @throws {Failed} after every fault, when no token was created.
 */
export async function createFromFile(
  store: Store,
  file: string,
  settings: FileSettings,
  options: BatchOptions,
): Promise<void> {
  const { rows, faults, total } = await readRows(file, settings);
  const known = await existingAccounts(store, [...new Set(rows.map(({ account_id }) => account_id))]);
  const more = [...accountFaults(file, rows, known)];
  if (total + more.length > 0) throw refused(file, [...faults, ...more], total + more.length);
  const created = await createTokens(store, rows, options);
  if (created === undefined)
    throw new Failed('An account was deleted in the meantime. No token was created: run the command again.');
  const texts = created.map(({ account_id, id: token_id, token }) =>
    settings.output === 'csv'
      ? [csvCell(account_id), token_id, token].join(',')
      : JSON.stringify({ account_id, token_id, token }),
  );
  say(`Created ${counted(created.length, 'token')}. They are shown only once:`);
  try {
    await deliver([...(settings.output === 'csv' ? ['account_id,token_id,token'] : []), ...texts].join('\n'));
  } catch (error) {
    await forgetTokens(store, created);
    const why = (error as Error).message;
    throw new Failed(`The tokens could not be written to standard output (${why}) and were deleted.`, {
      cause: error,
    });
  }
}
