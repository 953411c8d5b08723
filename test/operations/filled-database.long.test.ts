// A database with rows in every table, as the program of schema step 16 (commit f782ad91) filled it by its
// own commands, is upgraded with nothing lost, and its tokens, copies and feeds go on. Its rows are in
// `database-of-step-16/`, a table a line, after the secrets that were given out.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { type SchemaName, schemaSteps } from '../../server/store/migrations.ts';
import { openStore } from '../../server/store/open.ts';
import { BELOW, type Below, type OldRow } from '../kit/older-databases.ts';
import { runProgram } from '../kit/program.ts';
import { openService, type StoreKind, stores } from '../kit/service.ts';
import { selectIn } from '../kit/stored-items.ts';

const STEP = 16;
/** That of the file that holds the tokens of SQLite, and its mark. */
const TOKENS_STEP = 7;
const TOKENS_MARK = `pragma application_id = ${0x4c4e4354}; pragma user_version = ${TOKENS_STEP}`;
/** Its lists have a final sigma, which step 17 folds as any other: who reads them reads them again. */
const REBUILT = 'acme';

interface OldTable {
  readonly table: string;
  readonly rows: readonly OldRow[];
}

interface Filled {
  readonly secrets: Readonly<Record<'token' | 'tree' | 'feed' | 'brian' | 'since', string>>;
  /** Digests of the statements that its schema was made by. */
  readonly steps: Readonly<Partial<Record<SchemaName, string>>>;
  readonly tables: readonly OldTable[];
}

function filledOn(dialect: 'sqlite' | 'postgres'): Filled {
  const file = new URL(`./database-of-step-16/${dialect}.ndjson`, import.meta.url);
  const [head, ...tables] = readFileSync(file, 'utf8').trimEnd().split('\n');
  return { ...JSON.parse(String(head)), tables: tables.map((line) => JSON.parse(line) as OldTable) };
}

/** The tables that SQLite keeps in the file of the tokens. */
function tablesOfTokens(): Set<string> {
  const all = schemaSteps('sqlite-tokens')
    .slice(0, TOKENS_STEP)
    .join('\n')
    .matchAll(/create table (\w+)/g);
  return new Set([...all].map(([, name]) => String(name)));
}

/** The database as that program left it. */
async function olderDatabase(kind: StoreKind, { tables }: Filled) {
  const below = BELOW[kind.name] as Below;
  const database = await kind.make();
  const isSqlite = kind.name === 'SQLite';
  const dialect = isSqlite ? 'sqlite' : 'postgres';
  const tokensUrl = `${database.url}-tokens`;
  for (const text of schemaSteps(dialect).slice(0, STEP)) await below.run(database.url, text);
  const apart = isSqlite ? tablesOfTokens() : new Set<string>();
  for (const name of apart) await below.run(database.url, `drop table if exists ${name}`);
  if (isSqlite) {
    for (const text of schemaSteps('sqlite-tokens').slice(0, TOKENS_STEP)) await below.run(tokensUrl, text);
    await below.run(tokensUrl, TOKENS_MARK);
  }
  // The steps have made a key of their own.
  await below.run(database.url, 'delete from deployment');
  for (const { table, rows } of tables)
    await below.insert(apart.has(table) ? tokensUrl : database.url, table, rows);
  await below.run(database.url, below.setStep(STEP));
  return database;
}

/** A step on one line, without the comments between its statements. */
const statementsOf = (step: string) =>
  step
    .replaceAll(/^--.*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The drivers give some integers as text. */
const textOf = (value: string | number | null) => (value === null ? null : String(value));

const foldedOf = (row: OldRow) =>
  row['account_id'] === REBUILT ? Object.keys(row).filter((name) => name.endsWith('_folded')) : [];

/** The columns of a row that the upgrade writes, by table. */
const CHANGED: Readonly<Record<string, (row: OldRow) => readonly string[]>> = {
  deployment: ({ name }) => (name === 'schema_step' ? ['value'] : []),
  accounts: ({ id }) => (id === REBUILT ? ['sequence', 'revision', 'updated_at'] : []),
  change_logs: ({ account_id }) => (account_id === REBUILT ? ['newest', 'rebuilt'] : []),
  virtual_numbers: foldedOf,
  additional_services: foldedOf,
};
/** What it adds rows to, such as the revision that a list had before it was rebuilt. */
const GROWN = ['revisions', 'change_logs', 'deployment'];

/** A row as text, without what the upgrade changes. */
function factsOf(table: string, row: OldRow): string {
  const changed = CHANGED[table]?.(row) ?? [];
  const unchanged = Object.entries(row).filter(([name]) => !changed.includes(name));
  return unchanged.map(([name, value]) => `${name}=${JSON.stringify(textOf(value))}`).join(' ');
}

async function mustHaveAll(url: string, { tables }: Filled): Promise<void> {
  const store = await openStore(url, 'write');
  for (const { table, rows } of tables) {
    assert.ok(rows.length > 0, `${table} is filled`);
    const columns = Object.keys(rows[0] ?? {});
    const found = await selectIn(store, `select ${columns.join(', ')} from ${table}`);
    const after = found.map((values) =>
      Object.fromEntries(columns.map((name, i) => [name, values[i] ?? null])),
    );
    const facts = after.map((row) => factsOf(table, row));
    const expected = rows.map((row) => factsOf(table, row));
    const compared = GROWN.includes(table) ? facts.filter((one) => expected.includes(one)) : facts;
    assert.deepEqual(compared.toSorted(), expected.toSorted(), table);
  }
  await store.close();
}

for (const kind of stores) {
  const dialect = kind.name === 'SQLite' ? 'sqlite' : 'postgres';

  describe(`a database of step 16 with every table filled, on ${kind.name}`, () => {
    const filled = filledOn(dialect);

    test('has the schema of then: no step that was released is edited', () => {
      for (const [name, digest] of Object.entries(filled.steps)) {
        const steps = schemaSteps(name as SchemaName).slice(0, name === 'sqlite-tokens' ? TOKENS_STEP : STEP);
        const statements = steps.map(statementsOf).join('\n');
        assert.equal(createHash('sha256').update(statements).digest('hex'), digest, name);
      }
    });

    test('has rows in every table that there was', () => {
      const schemas: readonly (readonly [SchemaName, number])[] =
        dialect === 'sqlite'
          ? [
              ['sqlite', STEP],
              ['sqlite-tokens', TOKENS_STEP],
            ]
          : [['postgres', STEP]];
      const made = schemas.flatMap(([name, step]) =>
        [
          ...schemaSteps(name)
            .slice(0, step)
            .join('\n')
            .matchAll(/create table (\w+)/g),
        ].map(([, table]) => String(table)),
      );
      const dumped = filled.tables.map(({ table }) => table);
      assert.deepEqual(dumped.toSorted(), [...new Set(made)].toSorted());
    });

    test('is upgraded with every value of every row, once', async (t) => {
      const database = await olderDatabase(kind, filled);
      t.after(() => database.remove());
      for (const _ of ['upgraded', 'opened again']) await mustHaveAll(database.url, filled);
    });

    test('knows its tokens, and the copies that customers have of its lists go on', async (t) => {
      const database = await olderDatabase(kind, filled);
      const service = await openService({ name: kind.name, share: 1, make: async () => database });
      t.after(() => service.close());
      const ask = async (name: keyof Filled['secrets'], path: string) => {
        const { status, body } = await service.send('GET', path, { authorization: filled.secrets[name] });
        return { status, body: JSON.parse(body) };
      };
      const numbers = filled.tables.find(({ table }) => table === 'virtual_numbers')?.rows ?? [];
      const { status, body } = await ask('token', '/api/v1/did/me');
      assert.equal(status, 200);
      const own = numbers.filter(({ account_id }) => account_id === REBUILT);
      assert.deepEqual(
        body.data.map(({ id }: { id: number }) => id),
        own.map(({ id }) => Number(id)).toSorted((a, b) => a - b),
      );
      const since = await ask('brian', `/api/v1/did/me/changes?since=${filled.secrets.since}`);
      assert.deepEqual([since.status, since.body.data, since.body.more], [200, [], false]);
      const below = await ask('tree', '/api/v1/accounts');
      assert.deepEqual(
        below.body.data.map(({ id }: { id: string }) => id),
        ["o'brien"],
      );
    });

    test('tells its operator of all that there was', async (t) => {
      const database = await olderDatabase(kind, filled);
      t.after(() => database.remove());
      await (await openStore(database.url, 'write')).close();
      const countOf = (name: string) => filled.tables.find(({ table }) => table === name)?.rows.length ?? 0;
      for (const [words, tables] of [
        [['account', 'list'], ['accounts']],
        [['token', 'list'], ['tokens']],
        [['token', 'list', '--operator'], ['operator_tokens']],
        [['webhook', 'list'], ['webhooks']],
        [['import', 'runs'], ['import_runs']],
        [['audit'], ['account_events', 'token_events', 'webhook_events', 'imports', 'import_moves']],
      ] as const) {
        const { status, out, err } = await runProgram([...words, '--json', '--database-url', database.url]);
        assert.equal(status, 0, err);
        const expected = tables.map(countOf).reduce((sum, count) => sum + count);
        assert.equal((JSON.parse(out) as unknown[]).length, expected, words.join(' '));
      }
    });
  });
}
