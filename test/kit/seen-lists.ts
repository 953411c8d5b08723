// All that customers could see of a database at one time, read straight from its store, and copies of its
// lists that are kept by their changes.

import { Problem } from '../../api/contract/problems.ts';
import type { Query } from '../../api/contract/query.ts';
import { isStream } from '../../server/answers/answer.ts';
import { cursorKey } from '../../server/store/deployment.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { type Table, tables } from '../../server/store/tables.ts';
import { type Ask, ChangingCopy } from './changing-copies.ts';
import { answerFrom, EVERY, questionOf, textOf } from './questions.ts';

const TABLES: readonly Table[] = Object.values(tables);
/** So few that a copy takes several pages. */
const CHANGES_A_PAGE = 25;

/** What a caller of that account gets; the refusal's code where the account is not there. */
async function orRefusal(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) return `${error.code}\n`;
    throw error;
  }
}

async function exportOf(store: Store, key: string, table: Table, account_id: string): Promise<string> {
  const question = questionOf('export', table.name, account_id, { format: 'ndjson' });
  const file = await answerFrom(store, question, key);
  const text = await textOf(file);
  const total = isStream(file.body) ? file.body.total : 0;
  if (text.split('\n').length - 1 !== total) throw new WrongTotal(`It says ${total} rows:\n${text}`);
  return text;
}

/** A list has more rows or fewer than its total. */
export class WrongTotal extends Error {
  override readonly name = 'WrongTotal';
}

/** For each account and list the whole export, a page with its total, and the facets. */
export async function seenLists(store: Store, accounts: readonly string[]): Promise<string> {
  const key = await cursorKey(store);
  let text = '';
  for (const table of TABLES) {
    for (const account_id of accounts) {
      text += `${table.name} of ${account_id}\n`;
      text += await orRefusal(async () => {
        const items = await exportOf(store, key, table, account_id);
        const three = { query: { ...EVERY, page_size: 3 } };
        const page = await answerFrom(store, questionOf('page', table.name, account_id, three), key);
        const facets = await answerFrom(store, questionOf('facets', table.name, account_id), key);
        return `${items}${await textOf(page)}\n${await textOf(facets)}\n`;
      });
    }
  }
  return text;
}

/** Asks a store for the changes of one list of an account, as a client asks a server. */
function askIn(store: Store, key: string, table: Table, account_id: string): Ask {
  return async (url) => {
    const since = new URLSearchParams(url.split('?')[1]).get('since');
    const query: Query = { ...EVERY, page_size: CHANGES_A_PAGE, ...(since === null ? {} : { since }) };
    const answer = { bytes: new Uint8Array(), headers: {}, links: new Map<string, string>() };
    try {
      const page = await answerFrom(store, questionOf('changes', table.name, account_id, { query }), key);
      return { ...answer, status: 200, body: await textOf(page) };
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'changes-gone') throw error;
      return { ...answer, status: 410, body: error.code };
    }
  };
}

/** A copy of one list of an account. */
interface ListCopy {
  readonly table: Table;
  readonly account_id: string;
  readonly copy: ChangingCopy;
}

/** Copies of all lists of some accounts. */
type ListCopies = readonly ListCopy[];

/** Begins copies of the lists of accounts that are there. */
export async function beginCopies(store: Store, accounts: readonly string[]): Promise<ListCopies> {
  const key = await cursorKey(store);
  const copies: ListCopy[] = [];
  for (const table of TABLES) {
    for (const account_id of accounts) {
      const copy = new ChangingCopy('', '', askIn(store, key, table, account_id));
      await copy.bringUpToDate(CHANGES_A_PAGE);
      copies.push({ table, account_id, copy });
    }
  }
  return copies;
}

/**
 * Brings copies up to date and compares each with the list; one that is refused because too much has changed
 * is as good. Returns what is wrong.
 */
export async function copiesFaults(store: Store, copies: ListCopies): Promise<string[]> {
  const key = await cursorKey(store);
  const faults: string[] = [];
  for (const { table, account_id, copy } of copies) {
    const now = copy.clone(askIn(store, key, table, account_id));
    if ((await now.bringUpToDate(CHANGES_A_PAGE)) === 'gone') continue;
    const list = await exportOf(store, key, table, account_id);
    if (now.text !== list) faults.push(`a copy of ${table.name} of ${account_id} is not the list`);
  }
  return faults;
}

/** Opens a database to read, and closes it again. */
export async function reading<T>(url: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(url, 'read');
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
