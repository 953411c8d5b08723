// The row guard of a pipeline: what comes back must be what was sent for, row by row and statement by
// statement.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Client } from 'pg';
import { ForeignRows } from '../store-errors.ts';
import { Batch, Preparations } from './batch.ts';

const STATEMENT = {
  text: 'select account_id, id from virtual_numbers where account_id = $1',
  values: ['acme'],
  owner: { kind: 'account_id', value: 'acme' },
} as const;
const FIELDS = [{ dataTypeID: 25 }, { dataTypeID: 20 }];

/** What a server may answer, message by message. */
type Message = (batch: Batch) => void;

const described: Message = (batch) => batch.handleRowDescription({ fields: FIELDS });
const row =
  (owner: string): Message =>
  (batch) =>
    batch.handleDataRow({ fields: [owner, '1'] });
const complete =
  (rows: number): Message =>
  (batch) =>
    batch.handleCommandComplete({ text: `SELECT ${rows}` });
const ready: Message = (batch) => batch.handleReadyForQuery();

/** Sends the statement to a server that answers so; what went wrong, and the rows. */
async function answered(...messages: Message[]) {
  const batch = new Batch([STATEMENT], new Preparations(false));
  const nothing = () => {};
  const stream = { cork: nothing, uncork: nothing };
  const connection = {
    stream,
    parse: nothing,
    describe: nothing,
    bind: nothing,
    execute: nothing,
    sync: nothing,
  };
  const client = {
    query(sent: Batch) {
      sent.submit(connection as unknown as Parameters<Batch['submit']>[0]);
      for (const message of messages) message(sent);
    },
  };
  return { wrong: await batch.send(client as unknown as Client), results: batch.results };
}

describe('a pipeline', () => {
  test('gives the rows of the owner, without the owner', async () => {
    const { wrong, results } = await answered(described, row('acme'), complete(1), ready);
    assert.equal(wrong, undefined);
    assert.deepEqual(results, [{ rows: [[1]], count: 1 }]);
  });

  const FOREIGN: Readonly<Record<string, readonly Message[]>> = {
    'a row of another account': [described, row('acme'), row('other'), complete(2), ready],
    'fewer rows than it says': [described, row('acme'), complete(2), ready],
    'more rows than it says': [described, row('acme'), row('acme'), complete(1), ready],
    'no result': [ready],
    'a result too many': [described, row('acme'), complete(1), described, complete(0), ready],
    'the result of an empty statement': [described, complete(0), (batch) => batch.handleEmptyQuery(), ready],
    'a result that is not whole': [
      described,
      row('acme'),
      (batch) => batch.handlePortalSuspended(),
      complete(1),
      ready,
    ],
    'an error behind a row of another account': [
      described,
      row('other'),
      (batch) => batch.handleError(new Error('terminated')),
    ],
  };
  for (const [what, messages] of Object.entries(FOREIGN)) {
    test(`is refused whole for ${what}`, async () => {
      assert.ok((await answered(...messages)).wrong instanceof ForeignRows);
    });
  }
});
