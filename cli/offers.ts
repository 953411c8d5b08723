// Values that the shell offers for an option: countries, and the values on the account. Those are requested
// once a day and cached for the user. A shell waits for them, so this is always fast and never fails.

import { rm } from 'node:fs/promises';
import type { Facet } from '@linecard/client';
import { listOf } from '@linecard/client/client/any-list';
import { countryCodes } from '@linecard/client/contract/countries';
import type { List } from '@linecard/client/contract/list';
import { cachedFile, cachedFolder, readCached, writeCached } from './cached.ts';
import { type Completable, type Cursor, completions, cursorAt, type Offer } from './completion.ts';
import { clientOf } from './connect.ts';
import { currentSignIn } from './sign-in.ts';

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

async function remembered(path: string | undefined): Promise<Remembered | undefined> {
  const { until, values } = await readCached<Remembered>(path);
  return typeof until === 'number' && values !== undefined ? { until, values } : undefined;
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
  const path = cachedFile('values', signIn.url, signIn.token, list.name);
  const before = await remembered(path);
  const now = Date.now();
  if (before !== undefined && now < before.until && before.until <= now + GOOD_FOR_MS) return before.values;
  try {
    const client = clientOf(signIn, { retries: 0, timeout_ms: WITHIN_MS, onRetry: undefined });
    const { facets } = await listOf(client, list).facets({}, { signal });
    const values = Object.fromEntries(Object.entries(facets).map(([name, facet]) => [name, typable(facet)]));
    await writeCached(path, { until: now + GOOD_FOR_MS, values });
    return values;
  } catch {
    const values = before?.values ?? {};
    await writeCached(path, { until: now + PAUSE_MS, values });
    return values;
  }
}

/** For all accounts. */
export async function forgetValues(): Promise<void> {
  const values = cachedFolder('values');
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
