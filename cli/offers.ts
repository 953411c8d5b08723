// Values that the shell offers for an option: countries, and the values on the account. Those are requested
// once a day and cached for the user. A shell waits for them, so this is always fast and never fails.

import { createHash } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Facet } from '@linecard/client';
import { listOf } from '@linecard/client/client/any-list';
import { countryCodes } from '@linecard/client/contract/countries';
import type { List } from '@linecard/client/contract/list';
import { type Completable, type Cursor, completions, cursorAt, type Offer } from './completion.ts';
import { cacheFolder } from './config.ts';
import { clientOf } from './connect.ts';
import { currentSignIn, type SignIn } from './sign-in.ts';
import { writeWhole } from './whole-file.ts';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const GOOD_FOR_MS = 86_400_000;
/** The pause after a failure. */
const PAUSE_MS = 300_000;
const WITHIN_MS = 1_000;
/** Longer values are not offered. */
const MOST_CHARACTERS = 100;
const UNSAFE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;

interface KnownValue {
  readonly value: string;
  readonly count: number;
}

type Values = Readonly<Record<string, readonly KnownValue[]>>;

interface Remembered {
  readonly until: number;
  readonly values: Values;
}

/** `undefined` where the user has no folder for it. */
function folder(): string | undefined {
  const cache = cacheFolder();
  return cache === undefined ? undefined : join(cache, 'values');
}

/** A name that does not reveal the token. */
function fileOf(list: List, { url, token }: SignIn): string | undefined {
  const values = folder();
  if (values === undefined) return undefined;
  const name = createHash('sha256').update([url, token, list.name].join('\n')).digest('hex');
  return join(values, `${name}.json`);
}

async function remembered(path: string | undefined): Promise<Remembered | undefined> {
  if (path === undefined) return undefined;
  try {
    const { until, values } = JSON.parse(await readFile(path, 'utf8')) as Partial<Remembered>;
    return typeof until === 'number' && values !== undefined ? { until, values } : undefined;
  } catch {
    return undefined;
  }
}

async function remember(path: string | undefined, what: Remembered): Promise<void> {
  if (path === undefined) return;
  try {
    await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
    await writeWhole(path, { mode: PRIVATE_FILE, keepMode: false }, (file) =>
      file.writeFile(JSON.stringify(what)),
    );
  } catch {
    // Without a writable folder, each completion costs a request.
  }
}

function typable({ values }: Facet): KnownValue[] {
  return values
    .map(({ value, count }) => ({ value: String(value), count }))
    .filter(({ value }) => value !== '' && value.length <= MOST_CHARACTERS && !UNSAFE.test(value));
}

/** The values of all filters of a list; none where nobody is signed in or no answer comes. */
async function knownValues(list: List, signal: AbortSignal): Promise<Values> {
  const signIn = await currentSignIn().catch(() => undefined);
  if (signIn === undefined) return {};
  const path = fileOf(list, signIn);
  const before = await remembered(path);
  const now = Date.now();
  if (before !== undefined && now < before.until && before.until <= now + GOOD_FOR_MS) return before.values;
  try {
    const client = clientOf(signIn, { retries: 0, timeout_ms: WITHIN_MS, onRetry: undefined });
    const { facets } = await listOf(client, list).facets({}, { signal });
    const values = Object.fromEntries(Object.entries(facets).map(([name, facet]) => [name, typable(facet)]));
    await remember(path, { until: now + GOOD_FOR_MS, values });
    return values;
  } catch {
    const values = before?.values ?? {};
    await remember(path, { until: now + PAUSE_MS, values });
    return values;
  }
}

/** For all accounts. */
export async function forgetValues(): Promise<void> {
  const values = folder();
  if (values !== undefined) await rm(values, { recursive: true, force: true });
}

/** Each code with its English name. */
export function countries(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'region' });
  return new Map(Array.from(countryCodes, (code) => [code, names.of(code) ?? code]));
}

/** The account's values for the option at the cursor, the most frequent first. */
async function valuesHere({ command, value }: Cursor, signal: AbortSignal): Promise<Offer[]> {
  const option = value?.option;
  if (command?.list === undefined || option?.facet === undefined) return [];
  const found = (await knownValues(command.list, signal))[option.facet] ?? [];
  if (option.countries !== true) return found.map(({ value, count }) => ({ value, about: String(count) }));
  const names = countries();
  return [
    ...found.map(({ value, count }) => ({ value, about: `${names.get(value) ?? value}, ${count}` })),
    ...[...names].map(([value, about]) => ({ value, about })),
  ];
}

export async function offersText(
  words: readonly string[],
  commands: readonly Completable[],
  signal: AbortSignal,
): Promise<string> {
  const cursor = cursorAt(words, commands);
  return completions(cursor, await valuesHere(cursor, signal));
}
