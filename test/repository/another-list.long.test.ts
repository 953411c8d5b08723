// What docs/architecture.md says of a new list, done to a copy of the sources: the list of devices. Its rows
// are imported, read, searched, counted and followed on every store, and what is not told of it does not
// compile.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { MAX_OWN_FIELDS } from '../../api/contract/own-fields.ts';
import { OWN_TEXT, slotColumns } from '../../server/store/own-columns.ts';
import { mustRun, serveProgram, stopProgram } from '../kit/program.ts';
import { databaseOf, stores } from '../kit/service.ts';
import { copySources, insertAfter } from '../kit/source-tree.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { ROOT } from './sources.ts';

const LIST = `// The list of devices, as data.

import { billing, billingFilters, billingSorts, id } from './billing.ts';
import { defineList, withExclusions } from './list.ts';

export const devices = defineList({
  name: 'devices',
  title: 'Devices',
  one: 'device',
  about: 'The devices on the account.',
  path: '/api/v1/devices',
  fields: {
    id,
    title: { kind: 'text', about: 'What the device is called.', example: 'Desk phone', required: true },
    comment: { kind: 'text', about: 'A note; empty when there is none.', example: 'In the hall' },
    ...billing,
  },
  hidden: {},
  only: {},
  filters: withExclusions(billingFilters),
  search: ['title'],
  sorts: { ...billingSorts, title: 'title' },
  first: ['id', 'title', 'monthly'],
  label: 'title',
  events: { charges_changed: { fields: ['activation', 'monthly'] } },
});
`;

const text = (name: string) => `${name} text collate "C" not null`;
const time = (name: string) => `${name} text collate "C"`;
const OWN = [...Array.from({ length: MAX_OWN_FIELDS }, (_, i) => slotColumns(i + 1)).flat(), ...OWN_TEXT];
const COLUMNS = [
  'id bigint not null',
  ...['account_id', 'title_folded', 'comment_folded', 'frequency', 'frequency_folded'].map(text),
  ...['subscription_status', 'subscription_status_folded', 'item'].map(text),
  ...['activation', 'monthly'].map((name) => `${name} bigint not null`),
  ...['activated_at', 'next_payment_at'].map(time),
  ...OWN.map((name) => (/_number$|_shape$/.test(name) ? `${name} bigint` : time(name))),
  'primary key (account_id, id)',
];
const STEP = `-- for: sqlite, postgres
alter table accounts add column devices bigint not null default 0;
create table devices (
  ${COLUMNS.join(',\n  ')}
);
create unique index devices_by_id on devices (id);
create table devices_changes (
  ${text('account_id')},
  sequence bigint not null,
  id bigint not null,
  what integer not null default 4,
  ${time('label')},
  ${time('from_to')},
  primary key (account_id, sequence, id)
);
`;

const section = (name: string) => `<!-- made from the contract: ${name} -->\n\n<!-- end -->\n`;
/** Where the new lines go: the file, the text before them, and they themselves. */
const NAMED: readonly [file: string, text: string, more: string][] = [
  ['api/contract/contract.ts', "'./additional-services.ts';\n", "import { devices } from './devices.ts';\n"],
  ['api/contract/contract.ts', 'export const lists = {', ' devices,'],
  ['docs/generated/api.md', '# The API\n', section('fields of devices')],
  [
    'docs/generated/import-columns.md',
    '# Columns and values of an import\n',
    section('import columns of devices'),
  ],
];
const OF_CLIENT: readonly [file: string, text: string, more: string][] = [
  [
    'api/client/client.ts',
    "import { ACCOUNT_PATH } from '../contract/addresses.ts';\n",
    "import { devices } from '../contract/devices.ts';\nimport type { Devices } from '../lists/devices.ts';\n",
  ],
  [
    'api/client/client.ts',
    '  readonly #transport: Transport;\n',
    '  readonly devices: ListClient<Devices>;\n',
  ],
  [
    'api/client/client.ts',
    '    this.#transport = transport;\n',
    '    this.devices = new ListClient(devices, transport);\n',
  ],
  ['api/client/client.ts', 'virtual_numbers: client.virtualNumbers,\n', 'devices: client.devices,\n'],
  ['api/client/webhook-message.ts', 'interface Items {\n', '  readonly devices: Device;\n'],
  [
    'api/client/webhook-message.ts',
    "'../lists/additional-services.ts';\n",
    "import type { Device } from '../lists/devices.ts';\n",
  ],
];

const HEAD =
  'account_id,id,title,comment,frequency,activation,monthly,activated_at,next_payment_at,subscription_status';
const ROWS = ['acme,1,Desk phone,,monthly,0,2.5,,,active', 'acme,2,Adapter,,yearly,9,1,,,active'];

describe('a copy of the sources with a list more', () => {
  let tree: string;
  before(() => {
    tree = copySources();
  });
  after(() => rmSync(tree, { recursive: true, maxRetries: 3 }));

  /** What the compiler says of the sources, without what it says of the tests. */
  function compiled(): string[] {
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, '--pretty', 'false'], { cwd: tree });
    return String(stdout)
      .split('\n')
      .filter((line) => /^(api|cli|console|server)\//.test(line));
  }
  const docs = () => spawnSync(process.execPath, ['tools/docs.ts'], { cwd: tree, encoding: 'utf8' });

  test('does not compile until the client and its messages have it, and then needs nothing more', () => {
    writeFileSync(join(tree, 'api/contract/devices.ts'), LIST);
    for (const [file, before, more] of NAMED) insertAfter(tree, file, before, more);
    writeFileSync(join(tree, 'server/store/schema/999-devices.sql'), STEP);
    const { status, stderr } = docs();
    assert.equal(status, 0, stderr);
    assert.match(readFileSync(join(tree, 'api/lists/devices.ts'), 'utf8'), /interface DevicesQuery/);
    const files = new Set(compiled().map((line) => line.slice(0, line.indexOf('('))));
    assert.deepEqual(files, new Set(['api/client/client.ts', 'api/client/webhook-message.ts']));
    for (const [file, before, more] of OF_CLIENT) insertAfter(tree, file, before, more);
    assert.deepEqual(compiled(), []);
  });

  for (const kind of stores)
    test(`imports, finds, counts and follows its items, on ${kind.name}`, async () => {
      const database = await databaseOf(kind);
      const how = {
        main: join(tree, 'server/main.ts'),
        env: { NODE_COMPILE_CACHE: join(tree, '.compiled'), LINECARD_DATABASE_URL: database.url },
      };
      await mustRun(['account', 'create', 'acme'], how);
      const { out: token } = await mustRun(['token', 'create', '--account', 'acme'], how);
      const file = join(temporaryFolder(), 'devices.csv');
      writeFileSync(file, [HEAD, ...ROWS].join('\n'));
      assert.match((await mustRun(['import', 'devices', file], how)).err, /2 inserted/);
      const serving = await serveProgram(['serve'], how);
      const ask = async (path: string) => {
        const headers = { authorization: `Bearer ${token.trim()}` };
        const response = await fetch(`${serving.url}/api/v1/${path}`, { headers });
        assert.equal(response.status, 200, path);
        return response;
      };
      const found = await (await ask('devices?q=desk&monthly_min=2')).json();
      assert.partialDeepStrictEqual(found, {
        total: 1,
        data: [{ id: 1, title: 'Desk phone', monthly: 2.5 }],
      });
      assert.partialDeepStrictEqual(await (await ask('devices/facets')).json(), {
        total: 2,
        sums: { activation: 9, monthly: 3.5 },
      });
      assert.match(
        await (await ask('devices.csv?sort_by=title')).text(),
        /\r\n2,Adapter,.*\r\n1,Desk phone,/,
      );
      assert.partialDeepStrictEqual(await (await ask('account')).json(), { devices: 2 });
      await stopProgram(serving);
      await database.remove();
    });
});
