// The lists with the fields that the operator of the deployment declared. They are read from its OpenAPI
// document when a command line names one, or asks for help, and are cached with its ETag.

import { lists } from '@linecard/client/contract';
import { OPENAPI_PATH } from '@linecard/client/contract/addresses';
import type { List } from '@linecard/client/contract/list';
import { OWN_FIELD, ownFactsOf, ownFieldOf, withFields } from '@linecard/client/contract/own-fields';
import { itemName } from '@linecard/client/contract/wording';
import { cachedFile, readCached, writeCached } from './cached.ts';
import { fetchFrom } from './proxy.ts';
import { currentSignIn } from './sign-in.ts';

const WITHIN_MS = 3_000;
const NOT_MODIFIED = 304;
/** An option of an own field, or the name of one among columns and sort keys. */
const OWN_WORD = /^--(?:no-)?(?:has-)?x-|(?:^|[=,])x_/;
const COMPLETE = 'complete';
const HELP_WORDS: readonly string[] = ['--help', '-h'];

interface Remembered {
  readonly etag: string;
  /** What of the document is about own fields. */
  readonly document: unknown;
}

const everyList: readonly List[] = Object.values(lists);

/** The lists, with the fields that a document describes. */
const listsOf = (document: unknown): readonly List[] =>
  everyList.map((list) => withFields(list, ownFactsOf(document, itemName(list)).map(ownFieldOf)));

/** A document with own fields alone. */
function shortened(document: unknown): object {
  const schemas = everyList.map((list): [string, object] => {
    const facts = ownFactsOf(document, itemName(list));
    const properties = Object.fromEntries(facts.map((one) => [one.name, { [OWN_FIELD]: one }]));
    return [itemName(list), { properties }];
  });
  return { components: { schemas: Object.fromEntries(schemas) } };
}

async function remembered(path: string | undefined): Promise<Remembered | undefined> {
  const { etag, document } = await readCached<Remembered>(path);
  return typeof etag === 'string' ? { etag, document } : undefined;
}

/** The document of the deployment; `undefined` where it is the one that is known, or no answer comes. */
async function changed(
  url: string,
  known: Remembered | undefined,
  signal: AbortSignal,
): Promise<Remembered | undefined> {
  try {
    const answer = await fetchFrom(url)(url + OPENAPI_PATH, {
      headers: known === undefined ? {} : { 'if-none-match': known.etag },
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]),
    });
    if (answer.status === NOT_MODIFIED || !answer.ok) return undefined;
    return { etag: answer.headers.get('etag') ?? '', document: shortened(await answer.json()) };
  } catch {
    return undefined;
  }
}

/** The lists as the deployment has them now; where it is not reached, as they were known. */
export async function currentLists(signal: AbortSignal, isFresh = true): Promise<readonly List[]> {
  const signIn = await currentSignIn().catch(() => undefined);
  if (signIn === undefined) return everyList;
  const path = cachedFile('fields', signIn.url);
  const known = await remembered(path);
  const newer = isFresh ? await changed(signIn.url, known, signal) : undefined;
  if (newer !== undefined) await writeCached(path, newer);
  return listsOf((newer ?? known)?.document);
}

/** The lists for a command line: read again where it names an own field or asks for help, else as known. */
export const listsFor = (
  [first, ...words]: readonly string[],
  signal: AbortSignal,
): Promise<readonly List[]> =>
  currentLists(
    signal,
    // A shell waits for completions.
    first !== COMPLETE && words.some((word) => HELP_WORDS.includes(word) || OWN_WORD.test(word)),
  );
