// A copy of a list is never wrong: random histories of imports of every kind, renames, pruning, restored
// backups, accounts that come and go, with copies that are brought up to date now and then. Whenever one is
// told that it is up to date it is, byte for byte, what an export of the list holds. `TEST_HISTORIES` says
// how many histories there are, `TEST_SEED` which is the first.

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { copyStore } from '../../server/store/copy.ts';
import { openStore } from '../../server/store/open.ts';
import { runHistories } from '../kit/changes-history.ts';
import { openProcesses } from '../kit/changes-processes.ts';
import { type Counts, type Deployment, deploymentOf, type World } from '../kit/changes-world.ts';
import { secured } from '../kit/copies.ts';
import { PostgresServer } from '../kit/postgres-server.ts';
import { openService, type StoreKind, stores } from '../kit/service.ts';

const HISTORIES = Number(process.env['TEST_HISTORIES'] ?? 8);
const SEED = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 20));
/** What would be missed by that many histories once in a long while. */
const MANY = 20;
/** After that many imports everything moves to the other store, three times. */
const IMPORTS_A_MOVE = Math.max(4, Math.round(HISTORIES / 2));
const MOVES = 3;
const MUST_HAPPEN = [
  'gone: too old',
  'gone: restored',
  'imports insert',
  'imports update',
  'imports replace',
  'moves between accounts',
  'waits',
  'reads during imports',
  'accounts deleted',
  'accounts disabled',
  'refused',
];

const [sqlite, postgres] = stores as unknown as readonly [StoreKind, StoreKind];

const open = async (kind: StoreKind, row_security = false) =>
  deploymentOf(await openService(kind, { quiet: true, indexBytes: 0, reach: { row_security } }));

/** Runs a share of the histories, and looks whether they have tried everything. */
async function mustHold(
  t: TestContext,
  share: number,
  deployment: Deployment,
  furnish?: (world: World) => void,
): Promise<Counts> {
  const histories = Math.max(1, Math.round(HISTORIES * share));
  try {
    const counts = await runHistories(deployment, { seed: SEED, histories, furnish });
    t.diagnostic(`from seed ${SEED}: ${counts}`);
    assert.equal(counts.of('histories'), histories);
    assert.ok(counts.of('compared') > 3 * histories);
    for (const what of histories >= MANY ? MUST_HAPPEN : []) assert.ok(counts.of(what) > 0, what);
    return counts;
  } finally {
    await deployment.close();
  }
}

describe('a copy that is brought up to date is what the list is whenever the answer says so, whatever happens in between', () => {
  test('on SQLite', async (t) => void (await mustHold(t, 1, await open(sqlite))));

  test('on PostgreSQL', async (t) => void (await mustHold(t, 0.4, await open(postgres))));

  test('behind row security', async (t) => {
    const make = async () => {
      const database = await (await PostgresServer.shared()).makeDatabase('icu');
      await (await openStore(database.url, 'write')).close();
      return secured(database);
    };
    await mustHold(t, 0.2, await open({ name: 'PostgreSQL with row security', share: 1, make }, true));
  });

  test('from several processes, with an intake', async (t) => {
    await mustHold(t, 0.2, await openProcesses(sqlite));
  });

  test('while everything moves from one store to another and back', async (t) => {
    const urls = new Map<Deployment, string>();
    /** A deployment on a database that holds what another one does. */
    const openOn = async (kind: StoreKind, from?: Deployment) => {
      const database = await kind.make();
      if (from !== undefined) {
        const [reading, empty] = [
          await openStore(urls.get(from) ?? '', 'read'),
          await openStore(database.url, 'write'),
        ];
        await copyStore(reading, empty, () => {});
        await reading.close();
        await empty.close();
      }
      const { name, share } = kind;
      const deployment = await open({ name, share, make: async () => database });
      urls.set(deployment, database.url);
      return deployment;
    };
    const first = await openOn(sqlite);
    let moves = 0;
    const move = (world: World) => async () => {
      if (moves === MOVES) return;
      // The other stays open: who waits there still gets an answer.
      world.deployment = await openOn(moves % 2 === 0 ? postgres : sqlite, world.deployment);
      moves += 1;
    };
    try {
      await mustHold(t, 0.2, first, (world) => world.every(IMPORTS_A_MOVE, move(world)));
    } finally {
      for (const one of urls.keys()) if (one !== first) await one.close();
    }
    assert.equal(moves, MOVES);
  });
});
