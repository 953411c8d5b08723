// `linecard-server import --url`: sends a file to an intake, from anywhere, and says how it ended as an
// import on the machine of the database does.

import { setTimeout as sleep } from 'node:timers/promises';
import { retryAfterSeconds } from '@linecard/client/contract/retry-after';
import { shownAddress } from '@linecard/client/contract/secrets';
import { Failed, WrongUsage } from '../errors.ts';
import type { ReportedFault } from '../import/faults.ts';
import { type ImportFile, importFile, STANDARD_INPUT } from '../import/files.ts';
import {
  type Importable,
  type ImportOption,
  METHOD_OF,
  modeOf,
  optionsByParameter,
  type SummaryResult,
} from '../import/job.ts';
import type { Values } from '../settings/config.ts';
import type { SENDING } from './command.ts';
import { mustFit, printSummary, readable, stoppable } from './import.ts';
import { count, counted, ProgressLine, say } from './print.ts';
import { type IntakeAnswer, NotAnswered, type Sending, send } from './send.ts';

const MAX_ATTEMPTS = 5;
const FIRST_PAUSE_SECONDS = 1;
const LONGEST_PAUSE_SECONDS = 60;
/** Statuses of a server, or of a proxy in front, that may be temporary. */
const PASSING: readonly number[] = [408, 429, 502, 503, 504];
const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;
const COMPRESSED = /\.gz$/i;
const LOCAL = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

type SendSettings = Pick<Values, ImportOption | (typeof SENDING)[number] | 'json'>;

/** What an intake answers that went wrong, as far as it is one. */
interface Refusal {
  readonly detail?: string;
  readonly errors?: readonly ReportedFault[];
  readonly total?: number;
}

/** The value of a setting as a parameter; `undefined` where it is not set. */
function parameterText(value: Values[ImportOption]): string | undefined {
  if (value === undefined || value === false) return undefined;
  if (typeof value === 'object') return 'items' in value ? String(value.items) : `${value.percent}%`;
  return value === '\t' ? 'tab' : String(value);
}

/** @throws {WrongUsage} when it is not the address of an intake. */
function addressOf(table: Importable, settings: SendSettings): URL {
  const { intake_url = '' } = settings;
  const base = URL.canParse(intake_url) ? new URL(intake_url) : undefined;
  if (base === undefined || !/^https?:$/.test(base.protocol) || base.username !== '')
    throw new WrongUsage(
      `--url must be the address of an intake such as https://feed.example.com/intake, but was "${shownAddress(intake_url)}".`,
    );
  if (base.protocol === 'http:' && !LOCAL.test(base.hostname))
    say(`Note: ${base.origin} is not https, so the token and the rows can be read on the way.`);
  const url = new URL(
    `${base.origin}${base.pathname.replace(/(?<!\/)\/+$/, '')}/v1/${table.name.replaceAll('_', '-')}`,
  );
  if (/[/\\]/.test(settings.mapping ?? ''))
    throw new WrongUsage(
      'With --url, --mapping is the name of a mapping that the intake has (its --mappings), not of a file here.',
    );
  for (const [name, option] of optionsByParameter) {
    const text = parameterText(settings[option]);
    if (text !== undefined) url.searchParams.set(name, text);
  }
  return url;
}

/** @throws {WrongUsage} when there is no token, or a number without a feed. */
function headersOf({ intake_token, feed, sequence }: SendSettings, file: ImportFile): Record<string, string> {
  if (intake_token === undefined)
    throw new WrongUsage(
      'Name the operator’s token that the file is sent with: LINECARD_INTAKE_TOKEN in the environment, or --token.',
    );
  if (feed === undefined && sequence !== undefined)
    throw new WrongUsage('--sequence needs the --feed that it numbers.');
  return {
    authorization: `Bearer ${intake_token}`,
    'content-type': TYPES[file.format],
    ...(COMPRESSED.test(file.name) ? { 'content-encoding': 'gzip' } : {}),
    ...(feed === undefined ? {} : { 'linecard-feed': feed }),
    ...(sequence === undefined ? {} : { 'linecard-sequence': String(sequence) }),
  };
}

/** @throws {Failed} when the file cannot be sent. */
function fileOf([name = '', ...more]: readonly string[], { format }: SendSettings): ImportFile {
  if (more.length > 0)
    throw new WrongUsage('With --url name one file: each request is an import, all or none, of its own.');
  return readable(name, () => importFile(name, format));
}

function parsed<T>(text: string): Partial<T> {
  try {
    return JSON.parse(text) as T;
  } catch {
    return {};
  }
}

/** What is said of an answer that is not a summary; faults are printed as those of an import here. */
function refusalOf({ status, body }: IntakeAnswer, { name }: ImportFile, url: URL): Failed {
  const { detail, errors = [], total } = parsed<Refusal>(body);
  if (detail === undefined)
    return new Failed(`There is no intake at ${url.origin}${url.pathname}: what is there answers ${status}.`);
  if (total === undefined) return new Failed(`${detail} (${status})`);
  for (const { line, column, detail: what } of errors)
    say([line === null ? name : `${name}:${line}`, ...(column === null ? [] : [column]), what].join(': '));
  return new Failed(detail);
}

/** How long to wait before the next attempt, in seconds; `undefined` where there is none. */
function pauseBefore(
  attempt: number,
  outcome: IntakeAnswer | NotAnswered,
  file: ImportFile,
): number | undefined {
  const isLost = outcome instanceof NotAnswered;
  const passes = isLost ? !outcome.isLasting : PASSING.includes(outcome.status);
  const isGone = file.name === STANDARD_INPUT && (!isLost || outcome.hasBegun);
  if (!passes || isGone || attempt === MAX_ATTEMPTS) return undefined;
  const named = isLost ? undefined : retryAfterSeconds(outcome.retryAfter, Date.now());
  const usual = FIRST_PAUSE_SECONDS * 2 ** (attempt - 1);
  return Math.min(LONGEST_PAUSE_SECONDS, Math.max(usual, named ?? 0));
}

function lost({ message, hasBegun }: NotAnswered, url: URL): string {
  return hasBegun
    ? `The connection to ${url.origin} was lost (${message}), and no answer came.`
    : `${url.origin} cannot be reached (${message}). Is the intake running, and is --url right?`;
}

/** Sends the file, and retries what may pass. */
async function sendPatiently(sending: Sending): Promise<IntakeAnswer> {
  const { url, file, signal } = sending;
  for (let attempt = 1; ; attempt++) {
    const outcome = await send(sending).catch((error: unknown) => {
      if (error instanceof NotAnswered && !signal.aborted) return error;
      throw error;
    });
    const pause = pauseBefore(attempt, outcome, file);
    if (pause === undefined) {
      if (outcome instanceof NotAnswered) throw new Failed(lost(outcome, url), { cause: outcome });
      return outcome;
    }
    const why = outcome instanceof NotAnswered ? lost(outcome, url) : refusalOf(outcome, file, url).message;
    say(`${why} Trying again in ${counted(pause, 'second')}.`);
    await sleep(pause * 1_000, undefined, { signal });
  }
}

function progressText(bytes: number, total: number | undefined): string {
  const part = total ? `, ${Math.min(100, Math.floor((100 * bytes) / total))} %` : '';
  return bytes === total
    ? 'All is sent; it is being imported …'
    : `${count(Math.round(bytes / 1_000))} kB sent${part}`;
}

/**
 * Sends a file to an intake and prints the summary as the last line on standard error.
 * @throws {Failed} with every fault, when nothing was imported.
 * @throws {WrongUsage} when the settings do not go together.
 */
export async function runSend(
  table: Importable,
  files: readonly string[],
  settings: SendSettings,
): Promise<void> {
  mustFit(settings);
  const file = fileOf(files, settings);
  const url = addressOf(table, settings);
  // The variable, or the shared file, may be there for other commands.
  if (settings.changes_kept !== undefined)
    say('Note: --changes-kept is left to the intake, which has a setting of its own for it.');
  const headers = headersOf(settings, file);
  const line = new ProgressLine();
  const begin = performance.now();
  await stoppable(async (signal) => {
    try {
      const method = METHOD_OF[modeOf(settings)];
      const onProgress = (bytes: number) => line.show(progressText(bytes, file.bytes));
      const sending = { url, method, headers, file, signal, onProgress };
      const answer = await sendPatiently(sending);
      line.clear();
      if (answer.status !== 200) throw refusalOf(answer, file, url);
      const summary = parsed<SummaryResult>(answer.body);
      if (summary.list !== table.name) throw refusalOf(answer, file, url);
      // An intake of an older version does not count moves.
      const complete = { moved: 0, ...summary } as SummaryResult;
      await printSummary(table, complete, performance.now() - begin, settings.json);
    } catch (error) {
      line.clear();
      if (!signal.aborted) throw error;
      throw new Failed('Stopped. Unless it was just being committed, nothing was imported.', {
        cause: error,
      });
    }
  });
}
