// What `doctor` looks at, one function each: what is so, whether that is well, and how to fix it.

import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { listed } from '@linecard/client/contract/wording';
import { type BrandSettings, brandOf } from '../http/brand.ts';
import { certificateState, readCertificate } from '../http/tls.ts';
import { unknownVariables, type Values } from '../settings/config.ts';
import { filePath } from '../store/open.ts';
import { serverFacts } from '../store/postgres/diagnosis.ts';
import { tokensPath } from '../store/sqlite/tokens-file.ts';
import type { ReplicaChange, Store } from '../store/store.ts';
import { StoreEmpty, StoreRefused, StoreUnavailable } from '../store/store-errors.ts';
import {
  certificateFiles,
  clearTextWarning,
  type ListenSettings,
  mustBeSocket,
  mustListenSomewhere,
} from './listening.ts';
import { count, typed } from './print.ts';

export interface Finding {
  readonly check: string;
  /** `advice` is what works and could be better. */
  readonly status: 'ok' | 'advice' | 'wrong';
  readonly says: string;
  /** What to do about it. */
  readonly mend?: string;
}

/** An import that replaces everything writes all rows again before the old ones are deleted. */
const LEAST_FREE_BYTES = 104_857_600;
const LEAST_FREE_SHARE = 0.05;
const MEBIBYTE = 1_048_576;
export const MAX_CLOCK_MILLISECONDS = 2_000;
const LIMITS = '/proc/self/limits';
const FEW_DESCRIPTORS = 4_096;
const FOR_OTHERS = 0o077;

const faulty =
  (status: 'advice' | 'wrong') =>
  (check: string, says: string, mend: string): Finding => ({
    check,
    status,
    says,
    mend,
  });
export const advice = faulty('advice');
export const wrong = faulty('wrong');
export const ok = (check: string, says: string): Finding => ({ check, status: 'ok', says });

/** Sentences of which the first says what is so, and the others what to do. */
export function adviceOf(check: string, sentences: string): Finding {
  const [says = '', ...mend] = sentences.split(/(?<=\.) /);
  return advice(check, says, mend.join(' '));
}

const mebibytes = (bytes: number) => `${count(Math.round(bytes / MEBIBYTE))} MiB`;

/** The settings by themselves: nothing is opened. */
export function settingsFindings(
  settings: ListenSettings & BrandSettings & Pick<Values, 'demo' | 'rate_limit'>,
): Finding[] {
  const found: Finding[] = unknownVariables().map((sentence) =>
    wrong('settings', sentence, 'Correct the name, or take the variable away.'),
  );
  try {
    mustListenSomewhere(settings);
    brandOf(settings);
    const { socket } = settings;
    if (socket !== undefined) mustBeSocket(socket);
    const files = certificateFiles(settings);
    const state = files && certificateState(readCertificate(files));
    const mend =
      'Renew the files of --tls-cert and --tls-key; a service that runs takes the new ones by itself.';
    if (state && state.status !== 'ok') found.push({ check: 'certificate', ...state, mend });
  } catch (error) {
    found.push(wrong('settings', (error as Error).message, 'linecard-server serve would not start.'));
  }
  const warning = clearTextWarning(settings);
  if (warning !== undefined) found.push(adviceOf('settings', warning));
  return found.length > 0 ? found : [ok('settings', 'All are settings that serve takes.')];
}

/** What the process may have open. */
export function descriptorFindings(): Finding[] {
  const limits = existsSync(LIMITS) ? readFileSync(LIMITS, 'utf8') : '';
  const soft = /^Max open files +(\d+)/m.exec(limits)?.[1];
  if (soft === undefined) return [];
  if (Number(soft) >= FEW_DESCRIPTORS) return [ok('descriptors', `${soft} may be open.`)];
  const mend = 'Raise the limit, such as with LimitNOFILE=65536 in the unit, or ulimit -n.';
  return [advice('descriptors', `Only ${soft} may be open, one for each connection.`, mend)];
}

/** Why this user may not write to a file or a folder; `undefined` where they may. */
function refusalOf(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

/** What this user may not write of the files and the folder of a database, and what to do about it. */
function writeFindings(path: string, places: readonly string[]): Finding[] {
  const refused = places.filter((one) => refusalOf(one) !== undefined);
  if (refused.length === 0) return [];
  const says = `This user may not write to ${listed(refused)}.`;
  const readOnly = refused.find((one) => refusalOf(one) === 'EROFS');
  const mend =
    readOnly === undefined
      ? `Run it as the user that owns ${path}, who must own its folder as well: its -wal and -shm are made there.`
      : `The file system of ${readOnly} is mounted read-only: mount it for writing.`;
  return [wrong('rights', says, mend)];
}

export function fileFindings(database_url: string): Finding[] {
  const path = filePath(database_url);
  if (path === undefined) return [];
  const file = statSync(path, { throwIfNoEntry: false });
  // What is no file is refused where the database is opened.
  if (file?.isFile() !== true) return [];
  const found: Finding[] = [];
  const folder = dirname(path);
  const files = [path, tokensPath(path)].filter((one) => existsSync(one));
  found.push(...writeFindings(path, [...files, folder]));
  const open = files.filter((one) => (statSync(one).mode & FOR_OTHERS) !== 0);
  if (open.length > 0) {
    const says = `Other users of this machine may read ${listed(open)}.`;
    found.push(advice('rights', says, `chmod 600 ${typed(path)}*`));
  }
  if (found.length === 0) found.push(ok('rights', `This user alone may read and write ${listed(files)}.`));
  const { bavail, blocks, bsize } = statfsSync(folder);
  found.push(diskFinding(folder, { free: bavail * bsize, size: blocks * bsize, used: file.size }));
  return found;
}

/** The bytes of a disk: free, in all, and used by the database. */
export function diskFinding(
  folder: string,
  { free, size, used }: { readonly free: number; readonly size: number; readonly used: number },
): Finding {
  const says = `${mebibytes(free)} are free on the disk of ${folder}, and the database takes ${mebibytes(used)}.`;
  const mend = 'Make room: an import writes up to as much again before it is done.';
  if (free < used) return wrong('disk', says, mend);
  const isLow = free < LEAST_FREE_BYTES || free < size * LEAST_FREE_SHARE;
  return isLow ? advice('disk', says, mend) : ok('disk', says);
}

function clockFinding(skewMs: number, of: string): Finding {
  const says = `The clock of this machine and that of ${of} differ by ${(Math.abs(skewMs) / 1_000).toFixed(1)} seconds.`;
  if (Math.abs(skewMs) <= MAX_CLOCK_MILLISECONDS) return ok('clock', says);
  return wrong('clock', says, 'Have both set by NTP: tokens expire and payments fall due by it.');
}

/** A database on a server: its role and its clock. */
export async function serverFindings(store: Store): Promise<Finding[]> {
  const begin = Date.now();
  const facts = await serverFacts(store);
  const now = (begin + Date.now()) / 2;
  const { version, role, isSuperuser, isOwner, missing, isStandby, clockMs, bytes, nodes } = facts;
  const where = nodes === undefined ? '' : ` here, and the rows on ${nodes} nodes of Citus`;
  const found = [
    isStandby
      ? wrong('database', 'The server is a replica.', 'Name the primary with --database-url.')
      : ok(
          'database',
          `PostgreSQL ${version}, ${mebibytes(bytes)}${where}. Its disk cannot be seen from here.`,
        ),
    clockFinding(clockMs - now, 'the database'),
  ];
  const mend =
    'Run linecard-server migrate --serving-role ROLE as the owner, and serve with the URL of that role.';
  if (missing.length > 0) found.push(wrong('rights', `The role ${role} lacks ${missing.join(', ')}.`, mend));
  else if (isSuperuser || isOwner) {
    const what = isSuperuser ? 'is a superuser' : 'owns the tables';
    found.push(advice('rights', `The role ${role} ${what}; serving needs to read, and no more.`, mend));
  } else found.push(ok('rights', `The role ${role} may serve, and no more.`));
  return found;
}

export function replicaFindings(changes: readonly ReplicaChange[]): Finding[] {
  return changes.map(({ replica, reason }) =>
    reason === undefined
      ? ok('replica', `${replica} is healthy.`)
      : wrong('replica', `${replica}: ${reason}`, 'Lists are read elsewhere until it is healthy again.'),
  );
}

/** Why the database could not be opened; its sentence often says what to do. */
export function refusedFinding(error: unknown): Finding {
  if (!(error instanceof StoreRefused || error instanceof StoreUnavailable)) throw error;
  const [says = '', ...mend] = error.message.split(/(?<=\.) (?=[A-Z])|(?<=:) (?=run )/);
  const otherwise =
    error instanceof StoreEmpty
      ? 'Make one with linecard-server migrate, or name the right one with --database-url.'
      : 'Look whether it runs, and whether --database-url is right.';
  return wrong('database', says, mend.length > 0 ? mend.join(' ') : otherwise);
}
