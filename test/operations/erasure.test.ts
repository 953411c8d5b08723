// What is erased of an account that was deleted: no name, address or text of it is in any table any more, and
// what is recorded of others stays as it is.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ROWS } from '../../server/store/copy-parts.ts';
import { openStore } from '../../server/store/open.ts';
import { separate } from '../../server/store/sql.ts';
import type { Store } from '../../server/store/store.ts';
import { readAudit } from '../kit/audit-log.ts';
import { runProgram } from '../kit/program.ts';
import { csv, numberRow } from '../kit/rows.ts';
import { databaseOf, stores } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const folder = temporaryFolder();
const SECRETS = ['Erika Mustermann', 'Her telephone', 'Her receiver', '198.51.100.77', 'private.csv'];

/** Every row of every table that a copy has. */
async function rowsOf(store: Store): Promise<string[]> {
  await setImmediate();
  const found: string[] = [];
  for (const { name, isSeparate } of ROWS) {
    const all = { text: `select * from ${name}`, values: [] };
    const [rows] = await store.read(isSeparate ? separate(all) : all);
    found.push(...rows.map((row) => `${name}: ${JSON.stringify(row)}`));
  }
  await setImmediate();
  return found;
}

for (const kind of stores) {
  describe(`what is recorded of an account, on ${kind.name}`, () => {
    test('has no name, address or text any more once it is deleted and erased', async () => {
      const database = await databaseOf(kind);
      const { url } = database;
      const env = {
        LINECARD_DATABASE_URL: url,
        LINECARD_SIGNING_KEY: Buffer.alloc(32, 7).toString('base64'),
      };
      const command = async (...words: string[]) => {
        const { status, err } = await runProgram(words, { env });
        return { status, err };
      };
      const done = async (...words: string[]) => {
        const { status, err } = await command(...words);
        assert.equal(status, 0, `${words.join(' ')}: ${err}`);
      };
      await done('account', 'create', 'C7', '--name', 'Erika Mustermann');
      await done('account', 'create', 'C70', '--name', 'Another One');
      for (const id of ['C7', 'C70']) {
        const name = id === 'C7' ? 'Her telephone' : 'Another telephone';
        await done('token', 'create', '--account', id, '--name', name);
        await done(
          ...['webhook', 'create', '--account', id, '--url', `https://crm.example.com/${id}`],
          ...['--name', id === 'C7' ? 'Her receiver' : 'Another receiver'],
        );
        const files = join(folder, `${kind.name}-${id}`);
        mkdirSync(files);
        const path = join(files, id === 'C7' ? 'private.csv of C7.csv' : 'public.csv');
        writeFileSync(path, csv([numberRow(id, id === 'C7' ? 1 : 2)]));
        await done('import', 'virtual-numbers', path);
        // A fault that repeats a cell.
        writeFileSync(path, csv([{ ...numberRow(id, 3), did: 'none', account_id: `${id} ` }]));
        assert.equal((await command('import', 'virtual-numbers', path)).status, 1);
      }
      const store = await openStore(url, 'change');
      try {
        await store.write(
          separate({
            text: `insert into token_events (id, at, event, token_id, account_id, name, origin, actor)
              select 'used-' || id, '2026-11-20T00:00:00.000000Z', 'first-used', id, account_id, name, 'request',
                case when account_id = 'C7' then '198.51.100.77' else '203.0.113.5' end from tokens`,
            values: [],
          }),
        );
        const before = await rowsOf(store);
        for (const secret of SECRETS)
          assert.ok(
            before.some((row) => row.includes(secret)),
            secret,
          );

        const early = await command('account', 'erase', 'C7', '--yes');
        assert.equal(early.status, 1);
        assert.match(
          early.err,
          /The account C7 still exists: delete it first\. See: linecard-server account delete C7/,
        );
        await done('account', 'delete', 'C7', '--yes');
        const others = (await rowsOf(store)).filter((row) => /C70|Another|203\.0\.113\.5/.test(row));
        const times = (await readAudit(store, { account_id: 'C7' })).map(({ at, event }) => [at, event]);
        await done('account', 'erase', 'C7', '--yes');

        const after = await rowsOf(store);
        for (const secret of SECRETS)
          assert.deepEqual(
            after.filter((row) => row.includes(secret)),
            [],
            secret,
          );
        const changed = others.filter((row) => !after.includes(row));
        assert.deepEqual(changed, [], 'what is recorded of another account');
        // When and what stays.
        const remaining = await readAudit(store, { account_id: 'C7' });
        assert.deepEqual(
          remaining.map(({ at, event }) => [at, event]),
          [...times, [remaining.at(-1)?.at, 'account erased']],
        );
      } finally {
        await store.close();
        await database.remove();
      }
    });
  });
}
