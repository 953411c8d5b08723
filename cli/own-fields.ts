// The lists with the fields that the operator of the deployment declared. They are read from its OpenAPI
// document when a command line names one, or asks for help, and are cached with its ETag.

import { lists } from '@linecard/client/contract';
import { OPENAPI_PATH } from '@linecard/client/contract/addresses';
import type { List } from '@linecard/client/contract/list';
import { OWN_FIELD, ownFactsOf, ownFieldOf, withFields } from '@linecard/client/contract/own-fields';
import { itemName } from '@linecard/client/contract/wording';
import { cachedFile, readCached, writeCached } from './cached.ts';
import { explain } from './explain.ts';
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

/** The document of the deployment: what is known, where it is still the same. Or what happened instead. */
async function read(
  url: string,
  known: Remembered | undefined,
  signal: AbortSignal,
): Promise<Remembered | string> {
  try {
    const answer = await fetchFrom(url)(url + OPENAPI_PATH, {
      headers: known === undefined ? {} : { 'if-none-match': known.etag },
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]),
    });
    if (answer.status === NOT_MODIFIED && known !== undefined) return known;
    if (!answer.ok) return `answered ${answer.status}`;
    return { etag: answer.headers.get('etag') ?? '', document: shortened(await answer.json()) };
  } catch (error) {
    if (error instanceof SyntaxError) return 'answered something that is not JSON';
    return error instanceof DOMException ? 'did not answer in time' : 'cannot be reached';
  }
}

/** The lists as far as they are known, and why fields may be missing if the deployment could not be read. */
export interface KnownLists {
  readonly lists: readonly List[];
  readonly missing?: string;
}

/** The lists as the deployment has them now; where it is not reached, as they were known. */
export async function currentLists(signal: AbortSignal, isFresh = true): Promise<KnownLists> {
  const signIn = await currentSignIn().catch((error: unknown) => explain(error).message);
  if (typeof signIn === 'string')
    return {
      lists: everyList,
      missing: `The fields of an operator are read once you are signed in. ${signIn}`,
    };
  const { url } = signIn;
  const path = cachedFile('fields', url);
  const known = await remembered(path);
  if (!isFresh) return { lists: listsOf(known?.document) };
  const now = await read(url, known, signal);
  if (typeof now === 'string') {
    const missing = `${url}${OPENAPI_PATH} ${now}, so the fields that its operator has declared are not known. Try again.`;
    return { lists: listsOf(known?.document), missing };
  }
  if (now !== known) await writeCached(path, now);
  return { lists: listsOf(now.document) };
}

/** The lists for a command line: read again where it names an own field or asks for help, else as known. */
export async function listsFor(
  [first, ...words]: readonly string[],
  signal: AbortSignal,
): Promise<KnownLists> {
  const namesOwn = words.some((word) => OWN_WORD.test(word));
  // A shell waits for completions.
  const isFresh = first !== COMPLETE && (namesOwn || words.some((word) => HELP_WORDS.includes(word)));
  const known = await currentLists(signal, isFresh);
  return namesOwn ? known : { lists: known.lists };
}
