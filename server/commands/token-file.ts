// `linecard-server token create --accounts FILE`: a token for each account of a file, all of them or none.

import { Failed } from '../errors.ts';
import { type ImportFault, ImportRefused, lineText, MAX_REPORTED_FAULTS } from '../import/faults.ts';
import { importFile } from '../import/files.ts';
import type { FILE_OPTIONS } from '../import/job.ts';
import { readBatches } from '../import/reading.ts';
import { quoted } from '../import/values.ts';
import { limitYoungObjects } from '../memory.ts';
import type { Values } from '../settings/config.ts';
import { hasAccount } from '../store/access/accounts.ts';
import { type BatchOptions, forgetTokens } from '../store/access/token-batch.ts';
import { type AccountToken, TokensLoad } from '../store/access/tokens-load.ts';
import type { Store } from '../store/store.ts';
import { readable } from './import.ts';
import { counted, deliver, say } from './print.ts';

/** Rows that wait to be looked up outlive many others, and let the heap grow: a million took 50 MB more. */
const CHUNK_BYTES = 8_192;

type FileOptions = Pick<Values, (typeof FILE_OPTIONS)[number]>;
type FileSettings = FileOptions & Pick<Values, 'output' | 'name'>;

/** Prints the faults of a file; none of its tokens was made. */
function refused(file: string, faults: readonly ImportFault[], total: number): Failed {
  const refusal = new ImportRefused([file], faults, total);
  for (const fault of refusal.faults) say(fault);
  const more = total > refusal.faults.length ? `, of which the first ${refusal.faults.length} are shown` : '';
  return new Failed(`${counted(total, 'fault')}${more}. No token was created.`);
}

/** Stages the rows of a file; returns what is wrong with them, and the number of faults. */
async function stage(load: TokensLoad, file: string, settings: FileSettings) {
  const { format, delimiter, encoding } = settings;
  const faults: ImportFault[] = [];
  let total = 0;
  const files = [readable(file, () => importFile(file, format))];
  const how = { takesOpenEnd: true, chunkBytes: CHUNK_BYTES, delimiter, encoding } as const;
  const job = { list: 'tokens', rules: {}, files, ...how } as const;
  for await (const batch of readBatches(job, process.stdin)) {
    faults.push(...batch.faults);
    total = batch.totalFaults;
    await load.add(batch.rows, batch.lines);
  }
  const { duplicates, unknown } = await load.faults(MAX_REPORTED_FAULTS);
  const column = 'account_id';
  for (const { id, line, firstLine } of duplicates.first) {
    const detail = `${quoted(String(id))} is there twice; it was first given at ${lineText([file], firstLine)}.`;
    faults.push({ line, column, detail });
  }
  for (const { line, account_id } of unknown.first) {
    const detail = `there is no account ${quoted(account_id)}. Create it first, or correct the id.`;
    faults.push({ line, column, detail });
  }
  return { faults, total: total + duplicates.total + unknown.total };
}

/**
 * The accounts that a file names.
 * @throws {Failed} after every fault: nothing is done to any of them.
 */
export async function accountsOfFile(store: Store, file: string, settings: FileOptions): Promise<string[]> {
  const { format, delimiter, encoding } = settings;
  const files = [readable(file, () => importFile(file, format))];
  const job = { list: 'tokens', rules: {}, files, takesOpenEnd: true, delimiter, encoding } as const;
  const accounts = new Set<string>();
  const faults: string[] = [];
  for await (const batch of readBatches(job, process.stdin)) {
    faults.push(...new ImportRefused([file], batch.faults, batch.totalFaults).faults);
    for (const [i, [value]] of batch.rows.entries()) {
      const id = String(value);
      if (await hasAccount(store, id)) accounts.add(id);
      else faults.push(`${lineText([file], batch.lines[i] ?? 0)}: there is no account ${quoted(id)}.`);
    }
  }
  for (const fault of faults.slice(0, MAX_REPORTED_FAULTS)) say(fault);
  if (faults.length > 0) throw new Failed(`${counted(faults.length, 'fault')}. Nothing was changed.`);
  return [...accounts];
}

const csvCell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export const CSV_HEAD = 'account_id,token_id,token';

export const lineOf = (
  output: FileSettings['output'],
  { account_id, id: token_id, token }: AccountToken,
): string =>
  output === 'csv'
    ? [csvCell(account_id), token_id, token].join(',')
    : JSON.stringify({ account_id, token_id, token });

/** Prints tokens that were created; what cannot be printed is deleted. */
async function print(store: Store, load: TokensLoad, output: FileSettings['output']): Promise<void> {
  try {
    if (output === 'csv') await deliver(CSV_HEAD);
    for (const tokens of load.created()) await deliver(tokens.map((one) => lineOf(output, one)).join('\n'));
  } catch (error) {
    await forgetTokens(store, [...load.created()].flat());
    const why = (error as Error).message;
    throw new Failed(`The tokens could not be written to standard output (${why}) and were deleted.`, {
      cause: error,
    });
  }
}

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
  limitYoungObjects();
  const load = await TokensLoad.begin(store);
  let created: number;
  try {
    const { faults, total } = await stage(load, file, settings);
    if (total > 0) throw refused(file, faults, total);
    created = await load.create(options, settings.name ?? '');
    await load.commit();
  } catch (error) {
    await load.rollback();
    throw error;
  }
  say(`Created ${counted(created, 'token')}. They are shown only once:`);
  await print(store, load, settings.output);
}
