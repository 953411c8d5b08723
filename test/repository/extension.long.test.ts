// What docs/architecture.md says of a new filter, field and answer, done to a copy of the sources: the filter
// `regions`, the field `region`, which a database that is full is given by a migration, and the
// answer `count`. They work on every store, by index and without, with no other line changed.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createToken } from '../../server/store/access/tokens.ts';
import { schemaSteps } from '../../server/store/migrations.ts';
import { openStore } from '../../server/store/open.ts';
import { hardRows } from '../kit/hard-rows.ts';
import type { ModelRow } from '../kit/model.ts';
import { mustRun, type Serving, serveProgram, stopProgram } from '../kit/program.ts';
import { databaseOf, linksOf, load, stores } from '../kit/service.ts';
import { copySources, insertAfter, runTests } from '../kit/source-tree.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { ROOT } from './sources.ts';

const LIST = '/api/v1/did/me';
const ACCOUNT = 'acme';
/** So often each query is sent that an index answers it in the end. */
const TIMES = 3;

/** The step of the schema after the last one. */
const STEP = schemaSteps('sqlite').length + 1;

/** Where the new lines go: the file, the text before them, and they themselves. */
const LINES: readonly [file: string, text: string, more: string][] = [
  // The field, its filters and its sort key.
  [
    'api/contract/virtual-numbers.ts',
    "example: 'Thameswire' },\n",
    "region: { kind: 'text', about: 'Where the number is.', example: 'Europe' },\n",
  ],
  [
    'api/contract/virtual-numbers.ts',
    "providers: { field: 'provider', test: 'any' },\n",
    "regions: { field: 'region', test: 'any' },\n",
  ],
  ['api/contract/virtual-numbers.ts', "    provider: 'provider',\n", "region: 'region',\n"],
  // What the items of a database that is full get.
  [
    'server/store/migrations.ts',
    "'subscription_status_folded', 'created_at'] }],\n",
    `  ${STEP}: [{
    table: 'virtual_numbers',
    columns: ['region', 'region_folded'],
    rewrite: (item) => ({ ...item, region: item['country_code'] === 'GB' ? 'Europe' : '' }),
  }],\n`,
  ],
  // The answer: its work, its path, and which parameters it takes.
  ['server/answers/question.ts', "readonly kind: 'page' |", " 'count' |"],
  ['server/answers/work.ts', "'./kinds/account.ts';\n", "import { readCount } from './kinds/count.ts';\n"],
  [
    'server/answers/work.ts',
    "account: { answer: readAccount, reads: () => 'rows' },\n",
    "count: { answer: readCount, reads: () => 'list' },\n",
  ],
  [
    'server/http/routes.ts',
    "offers: [json('facets')], takesQuery: true },\n",
    "{ path: list.path + '/count', offers: [json('count')], takesQuery: true },\n",
  ],
  ['api/contract/rules.ts', 'export type Use =', " 'count' |"],
  [
    'api/contract/rules.ts',
    "why: 'facets count every match and list none' },\n",
    "count: { takes: ({ group }) => group === 'filter', why: 'a count lists none' },\n",
  ],
  // What the model and the rows of the tests know.
  ['test/kit/model.ts', "provider: 'text',", " region: 'text',"],
  ['test/kit/model.ts', "providers: ['texts', 'provider'],\n", "regions: ['texts', 'region'],\n"],
  ['test/kit/model.ts', "'country_code', 'provider',", " 'region',"],
  ['test/kit/hard-rows.ts', '  provider: text,\n', 'region: text,\n'],
];

/** The columns of a filter and of a sort key. PostgreSQL orders by code points where the column says so. */
const STATEMENTS = ['region', 'region_folded'].map(
  (column) => `alter table virtual_numbers add column ${column} text collate "C" not null default '';\n`,
);

const FILES: Readonly<Record<string, string>> = {
  'server/store/schema/999-region.sql': `-- for: sqlite, postgres\n${STATEMENTS.join('')}`,
  'server/answers/kinds/count.ts': `
import { selectionOf } from '../../lists/plan.ts';
import { headStatement } from '../../store/lists/heads.ts';
import { type Answer, jsonAnswer } from '../answer.ts';
import { type Engine, tableOf } from '../engine.ts';
import { knownRow, type ListQuestion } from '../question.ts';

export async function readCount({ store }: Engine, question: ListQuestion): Promise<Answer> {
  const selection = selectionOf(tableOf(question), question.owner.account_id, question.query);
  const [[row]] = await store.read(headStatement(store.dialect, selection));
  const [revision, total] = knownRow(row);
  return jsonAnswer(question, String(revision), JSON.stringify({ count: Number(total) }));
}
`,
};

/** As the migration leaves them: of one account, so that its list is large enough for an index. */
const rows: readonly ModelRow[] = hardRows.virtual_numbers
  .map((row) => ({ ...row, account_id: ACCOUNT }))
  .toSorted((a, b) => a.id - b.id);
const regionOf = (row: ModelRow) => (row['country_code'] === 'GB' ? 'Europe' : '');
const excluded = (...providers: string[]) =>
  rows.filter((row) => !providers.includes(String(row['provider'])));
const inEurope = rows.filter((row) => regionOf(row) === 'Europe');
const LONG = 'x'.repeat(2_001);

const QUERIES: readonly [query: string, expected: readonly ModelRow[]][] = [
  ['regions_exclude=Europe', rows.filter((row) => regionOf(row) !== 'Europe')],
  ['providers_exclude=a', excluded('a')],
  ['providers_exclude=a,A&providers_exclude[]=Zed, Inc', excluded('a', 'A', 'Zed, Inc')],
  ['providers_exclude=', rows],
  [`providers_exclude=${LONG}`, rows],
  ['providers=a,b&providers_exclude=b', rows.filter((row) => row['provider'] === 'a')],
  ['regions=Europe', inEurope],
  ['regions=Asia', []],
  [`regions=${LONG}`, []],
  ['regions=Europe&providers_exclude=a', excluded('a').filter((row) => regionOf(row) === 'Europe')],
  ['sort_by=region', [...rows.filter((row) => regionOf(row) === ''), ...inEurope]],
];

describe('a copy of the sources with a filter, a field and an answer more', () => {
  let tree: string;
  before(() => {
    tree = copySources();
    for (const [file, text, more] of LINES) insertAfter(tree, file, text, more);
    for (const [file, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(tree, file)), { recursive: true });
      writeFileSync(join(tree, file), text);
    }
  });
  after(() => rmSync(tree, { recursive: true, maxRetries: 3 }));

  /** What is compiled of the copy is removed with it. */
  const compiled = () => ({ NODE_COMPILE_CACHE: join(tree, '.compiled') });
  /** Runs a program of the copy. */
  const copied = (main: string) => ({ main: join(tree, main), env: compiled() });

  test('answers as the model does, which knows them too', async () => {
    const { passed, said } = await runTests(
      tree,
      {
        tests: ['test/repository/model.test.ts', 'test/api/lists.test.ts'],
        only: 'the same|at random|longer than any',
      },
      { QUERIES: '200', ...compiled() },
    );
    assert.ok(passed > 0, said);
  });

  test('has the filters in the options of the command', async () => {
    const { out } = await mustRun(['virtual-numbers', 'list', '--help'], copied('cli/start.ts'));
    assert.match(out, /--providers-exclude/);
    assert.match(out, /--regions/);
    assert.match(out, /--regions-exclude/);
  });

  for (const kind of stores) {
    describe(`on ${kind.name}, whose database was full`, () => {
      let remove: () => Promise<void>;
      let serving: Serving;
      let authorization: string;
      /** From before the migration: a token of changes, and an entity tag. */
      const old = { changes: '', etag: '' };
      const ask = (path: string, headers = {}) =>
        fetch(serving.url + encodeURI(path), { headers: { authorization, ...headers } });

      before(async () => {
        const database = await databaseOf(kind);
        const words = ['--database-url', database.url];
        remove = () => database.remove();
        const store = await openStore(database.url, 'write');
        await load(store, 'virtual_numbers', rows);
        authorization = `Bearer ${(await createToken(store, ACCOUNT, 'test'))?.token}`;
        await store.close();
        serving = await serveProgram(['serve', ...words]);
        const page = await ask(LIST);
        old.etag = String(page.headers.get('etag'));
        old.changes = String(linksOf(page.headers.get('link') ?? '').get('monitor'));
        assert.equal((await ask(`${LIST}?regions=Europe`)).status, 400);
        await stopProgram(serving);
        await mustRun(['migrate', ...words], copied('server/main.ts'));
        serving = await serveProgram(['serve', '--metrics-port', '0', ...words], copied('server/main.ts'));
      });
      after(async () => {
        await stopProgram(serving);
        await remove();
      });

      test('each query finds what it should, by index and without', async () => {
        for (const [query, expected] of QUERIES) {
          for (let i = 0; i < TIMES; i++) {
            // Another page size is another query: no page is one that was cached.
            const response = await ask(`${LIST}?${query}&page_size=${1_000 - i}`);
            if (response.status !== 200) assert.fail(`${query}: ${await response.text()}`);
            const { data, total } = (await response.json()) as { data: ModelRow[]; total: number };
            assert.equal(total, expected.length, query);
            assert.deepEqual(
              data.map(({ id }) => id),
              expected.map(({ id }) => id),
              query,
            );
          }
          const { count } = (await (
            await ask(`${LIST}/count?${query.replace('sort_by=region', '')}`)
          ).json()) as {
            count: number;
          };
          assert.equal(count, expected.length, query);
        }
        const [, metrics = ''] = await serving.says(/(http:\S+\/metrics)/);
        const text = await (await fetch(metrics)).text();
        assert.match(text, /^linecard_cache_entries\{cache="indexes",list=""\} 1$/m);
      });

      test('each item has the field in its place, in JSON and as a column, and its facet is counted', async () => {
        const { data } = (await (await ask(`${LIST}?page_size=1000`)).json()) as { data: ModelRow[] };
        assert.deepEqual(
          data.map(({ region }) => region),
          rows.map(regionOf),
        );
        const names = Object.keys(data[0] as ModelRow);
        assert.equal(names[names.indexOf('provider') + 1], 'region');
        const csv = await (await ask(`${LIST}.csv`)).text();
        assert.equal(csv.slice(0, csv.indexOf('\r')), names.join());
        const { facets } = (await (await ask(`${LIST}/facets`)).json()) as {
          facets: Record<string, { values: { value: string; count: number }[] }>;
        };
        assert.deepEqual(
          facets['regions']?.values.find(({ value }) => value === 'Europe')?.count,
          inEurope.length,
        );
        assert.equal(facets['providers_exclude'], undefined);
      });

      test('what clients have from before is of another revision', async () => {
        assert.equal((await ask(LIST, { 'if-none-match': old.etag })).status, 200);
        const changes = await fetch(new URL(old.changes, serving.url), { headers: { authorization } });
        assert.equal(changes.status, 410);
      });

      test('an import stores the field', async () => {
        const file = join(temporaryFolder(), 'numbers.ndjson');
        const row = { ...rows[0], did: '+442079460018', country_code: 'JP', region: 'Asia' };
        writeFileSync(file, `${JSON.stringify(row)}\n`);
        const database = serving.child.spawnargs.at(serving.child.spawnargs.indexOf('--database-url') + 1);
        await mustRun(
          ['import', 'virtual-numbers', file, '--database-url', String(database)],
          copied('server/main.ts'),
        );
        const { data } = (await (await ask(`${LIST}?regions=Asia`)).json()) as { data: ModelRow[] };
        assert.deepEqual(
          data.map(({ id }) => id),
          [row.id],
        );
      });
    });
  }
});

/** Ways to send an item as it is stored, each with what the compiler says; the first is right. */
const BODIES: readonly [code: string, refusal: RegExp | undefined][] = [
  ['projectionOf(list, fieldsOf(question))(row[0])', undefined],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: source that is compiled.
  ['`[${row[0]}]`', /Implicit conversion of a 'symbol'/],
  ['row[0]', /Argument of type 'StoredItem' is not assignable/],
  ['row[0] as string', /Conversion of type 'StoredItem' to type 'string'/],
  ["row[0] + ''", /cannot be applied to type 'symbol'/],
  ['JSON.parse(row[0])', /Argument of type 'StoredItem' is not assignable/],
  ['projectionOf(list, undefined)(row[0])', /'undefined' is not assignable to .*'VisibleFields'/],
  ['projectionOf(list, { names: undefined })(row[0])', /missing in type .*required in type 'VisibleFields'/],
];

test('a kind of answer that forgets what its caller may see does not compile', () => {
  const tree = copySources();
  const path = 'server/answers/kinds/newest.ts';
  const before = `import { projectionOf } from '../../lists/fields.ts';
import { BY_ID, selectionOf } from '../../lists/plan.ts';
import { rowsStatement } from '../../store/sql.ts';
import { jsonAnswer } from '../answer.ts';
import { type Engine, tableOf } from '../engine.ts';
import { fieldsOf, knownRow, type ListQuestion } from '../question.ts';
export async function readNewest({ store }: Engine, question: ListQuestion) {
  const { list } = tableOf(question);
  const selection = selectionOf(tableOf(question), question.owner.account_id, question.query);
  const [[found]] = await store.read(rowsStatement(store.dialect, { ...selection, order: BY_ID, limit: 1 }));
  const row = knownRow(found);
  return [projectionOf, fieldsOf, list,
`;
  const lines = BODIES.map(([code]) => `    jsonAnswer(question, '1', ${code}),\n`);
  try {
    writeFileSync(join(tree, path), `${before}${lines.join('')}  ];\n}\n`);
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, '--pretty', 'false'], { cwd: tree });
    const said = String(stdout).trimEnd();
    const first = before.split('\n').length;
    for (const [i, [code, refusal]] of BODIES.entries()) {
      const [line] = new RegExp(`^${path}\\(${first + i},.*$`, 'm').exec(said) ?? [];
      if (refusal === undefined) assert.equal(line, undefined, said);
      else assert.match(line ?? '', refusal, `${code}: ${said}`);
    }
    assert.doesNotMatch(said, new RegExp(`^(?!${path}|\\s)`, 'm'));
  } finally {
    rmSync(tree, { recursive: true, maxRetries: 3 });
  }
});
