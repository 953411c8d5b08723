// What has been done: the audit log, and the runs of imports.

import { hasAccount } from '../store/access/accounts.ts';
import { forgetFeed } from '../store/imports/feeds.ts';
import { findRun, runPage } from '../store/imports/import-runs.ts';
import { IMPORT_COUNTS } from '../store/log/audit.ts';
import { type AuditChoice, type AuditEntry, auditBatches, countAudit } from '../store/log/audit-reading.ts';
import type { Snapshot, Store } from '../store/store.ts';
import { line, pastTimeField, type Schema, trueOrFalse } from './field.ts';
import {
  accountId,
  answered,
  EXAMPLE_TIME,
  PAGE,
  pageOf,
  pageSchema,
  TIME,
  TIME_OR_NULL,
} from './members.ts';
import { anyId, mustBeOwn, operation, Unable } from './operation.ts';
import { shapeSchema } from './shape.ts';

const MAX_FEED_CHARACTERS = 100;
const TEXT: Schema = { type: 'string' };
const TEXT_OR_NULL: Schema = { type: ['string', 'null'] };
const ACTOR = 'Who did it: a user and a machine, or the id of an operator token.';

const since = pastTimeField({
  about: 'Only what was done since then: a timestamp, a date, or how long ago, such as 7d.',
  example: '7d',
});

const ENTRY = {
  at: answered('When it was done.', TIME, EXAMPLE_TIME),
  event: answered('What was done.', TEXT, 'token created'),
  account_id: answered('The account that it was done to.', TEXT_OR_NULL, 'C1001'),
  token_id: answered('The token that it was done to.', TEXT_OR_NULL, '4fTq0Vb2LxYz'),
  origin: answered('Where it was done: `command`, `intake`, `pull`, `watch` or `request`.', TEXT, 'intake'),
  actor: answered(ACTOR, TEXT, 'Q2mZ8sT1kKpA'),
  details: answered(
    'What else is known: the name of a token or a feed; name and currency of an account; list, mode and counts of an import.',
    { type: 'object', additionalProperties: true },
    { name: 'phone book' },
  ),
};

/** The entries of a page, the oldest first. */
async function entriesOf(
  snapshot: Snapshot,
  choice: AuditChoice,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<readonly AuditEntry[]> {
  const entries: AuditEntry[] = [];
  let seen = 0;
  for await (const batch of auditBatches(snapshot, choice)) {
    entries.push(...batch.slice(Math.max(0, offset - seen), Math.max(0, offset + limit - seen)));
    seen += batch.length;
    if (seen >= offset + limit) break;
  }
  return entries;
}

/** @throws {Unable} for an account that there is not, and that there never was. */
export async function mustBeKnown(store: Store, account: string): Promise<void> {
  if (await hasAccount(store, account)) return;
  const sentence = `There is no account ${account}, and no event of one is recorded.`;
  throw new Unable('not-found', sentence, { words: 'account list' });
}

const auditOperation = operation({
  words: 'audit',
  title: 'Show what was done',
  about:
    'Changes to accounts, tokens and webhooks, by whom, and imports, oldest first. A token that is bound to accounts sees what is about these alone; nothing is said of tokens of operators.',
  of: 'the request',
  takes: { since, account: accountId('Only what is about this account.'), ...PAGE },
  route: {
    method: 'GET',
    path: '/audit',
    status: 200,
    permission: 'audit',
    on: 'read',
    answer: { schema: pageSchema('AuditEntry', ENTRY), about: 'A page of entries.' },
  },
  async run({ store, by }, { since: from, account, page, page_size }) {
    if (account !== undefined) mustBeOwn(by, account, 'read');
    const choice = { since: from, account_id: account, accounts: by.accounts, isOfCustomers: true } as const;
    const snapshot = await store.snapshot();
    try {
      const total = await countAudit(snapshot, choice);
      // Entries of a deleted account stay.
      if (total === 0 && account !== undefined) await mustBeKnown(store, account);
      const range = { limit: page_size, offset: (page - 1) * page_size };
      const entries = range.offset < total ? await entriesOf(snapshot, choice, range) : [];
      return pageOf(entries, { page, page_size }, total);
    } finally {
      await snapshot.close();
    }
  },
});

const count = (about: string) => answered(about, { type: 'integer', minimum: 0 }, 0);
const COUNTS = Object.fromEntries(
  IMPORT_COUNTS.map((name) => [name, count(`How many: ${name.replaceAll('_', ' ')}.`)]),
);

const RUN = {
  id: answered('The id of the run; they sort by time.', TEXT, '1796000000000000-7f3c'),
  list: answered('What was imported.', TEXT, 'virtual_numbers'),
  feed: answered('The feed that it named; empty for none.', TEXT, 'billing'),
  mode: answered('What becomes of items that are there.', TEXT, 'update'),
  origin: answered('Where it came from: `command`, `intake`, `pull` or `watch`.', TEXT, 'intake'),
  actor: answered(ACTOR, TEXT, 'Q2mZ8sT1kKpA'),
  source: answered('Its files, or an address.', TEXT, '192.0.2.7'),
  started_at: answered('When it began.', TIME, EXAMPLE_TIME),
  updated_at: answered('When it last said how far it is.', TIME, EXAMPLE_TIME),
  ended_at: answered('When it ended; null while it is running.', TIME_OR_NULL, EXAMPLE_TIME),
  outcome: answered(
    'How it ended: `done`, `refused`, `rejected`, `failed`, `stopped` or `lost`; null while it is running.',
    TEXT_OR_NULL,
    'done',
  ),
  ...COUNTS,
  faults: count('How many faults its rows have.'),
  first_fault: answered('The first of them.', TEXT_OR_NULL, null),
};

/** A token that is bound to accounts sees its own runs: others may be of any account. */
const actorOf = ({ actor, accounts }: { readonly actor: string; readonly accounts?: unknown }) =>
  accounts === undefined ? undefined : actor;

const listRunsOperation = operation({
  words: 'import runs',
  title: 'List imports',
  about:
    'The imports of the last 30 days and those that are running, newest first. A token that is bound to accounts sees its own.',
  of: 'the request',
  takes: {
    feed: line(MAX_FEED_CHARACTERS, { about: 'Only those of this feed.', example: 'billing' }),
    failed: trueOrFalse({ about: 'Only those that were refused or failed.', example: true }),
    ...PAGE,
  },
  route: {
    method: 'GET',
    path: '/runs',
    status: 200,
    permission: 'audit',
    on: 'read',
    answer: { schema: pageSchema('Run', RUN), about: 'A page of runs.' },
  },
  async run({ store, by }, { feed, failed, page, page_size }) {
    const range = { limit: page_size, offset: (page - 1) * page_size };
    const { total, runs } = await runPage(store, { feed, failed, actor: actorOf(by), ...range });
    return pageOf(runs, { page, page_size }, total);
  },
});

const showRunOperation = operation({
  words: 'import run',
  title: 'Show an import',
  about: 'How an import ended, or how far it is.',
  of: 'the request',
  id: anyId('The id of the run.', '1796000000000000-7f3c'),
  takes: {},
  route: {
    method: 'GET',
    path: '/runs/{id}',
    status: 200,
    permission: 'audit',
    on: 'read',
    answer: { schema: shapeSchema(RUN, 'Run'), about: 'The run.' },
  },
  async run({ store, by }, _given, id) {
    const found = await findRun(store, id);
    if (found !== undefined && [undefined, found.actor].includes(actorOf(by))) return found;
    throw new Unable('not-found', `There is no run ${id}.`, { words: 'import runs' });
  },
});

export const forgetFeedOperation = operation({
  words: 'import forget',
  title: 'Retire a feed',
  about:
    'Forget a feed that no longer comes: its sequence and its runs, so that metrics, alerts and doctor no longer report it. Its items stay, and the audit log gets an entry.',
  of: 'the request',
  id: anyId('The name of the feed.', 'billing'),
  takes: {},
  route: { method: 'DELETE', path: '/feeds/{id}', status: 204, permission: 'import', on: 'own' },
  async run({ store, by }, _given, id) {
    if (await forgetFeed(store, { name: id, accounts: by.accounts }, by)) return;
    throw new Unable('not-found', `There is no feed ${id}.`, { words: 'import runs' });
  },
});

export const logOperations = [auditOperation, listRunsOperation, showRunOperation, forgetFeedOperation];
