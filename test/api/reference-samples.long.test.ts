// Every example of a request in the reference, in each of its languages, typed as it stands against a real
// service.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DEFAULT_MAX_PAGE_SIZE, lists } from '../../api/contract/contract.ts';
import { EXAMPLE_WEBHOOK_ID } from '../../api/contract/webhooks.ts';
import { EXAMPLE_URL } from '../../api/openapi/code-samples.ts';
import { guide } from '../../api/openapi/guide.ts';
import { openapi } from '../../api/openapi/openapi.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { separate, sql } from '../../server/store/sql.ts';
import { installCommand, programFolder } from '../kit/client-programs.ts';
import { Faulty, problem } from '../kit/faulty.ts';
import { heard } from '../kit/program.ts';
import { openService, type Service, stores } from '../kit/service.ts';
import { Webhooks } from '../kit/webhooks.ts';

const ACCOUNT = 'acme';

/** What must be on the machine for a language, and whether it is. */
const here = (command: string, ...words: string[]) => spawnSync(command, words).status === 0;
const LACKING: Readonly<Record<string, string | false>> = {
  curl: !here('curl', '--version') && 'needs curl',
  Python: !here('python3', '-c', 'import requests') && 'needs Python 3 with requests',
};

/** How files of a language are run one after the other, until one fails; each is named when it has run. */
const SHELL = {
  command: 'sh',
  words: [
    '-c',
    'for one; do sh "./$one" || { echo "$one" failed >&2; exit 1; }; echo; echo ran "$one"; done',
    'sh',
  ],
};
const LANGUAGES: Readonly<Record<string, { command: string; words: readonly string[]; ending: string }>> = {
  curl: { ...SHELL, ending: 'curl' },
  TypeScript: {
    command: process.execPath,
    words: [
      '--input-type=module',
      '--eval',
      'for (const one of process.argv.slice(1)) { await import("./" + one); console.log("\\nran " + one); }',
    ],
    ending: 'ts',
  },
  Python: {
    command: 'python3',
    words: [
      '-c',
      'import runpy, sys\nfor one in sys.argv[1:]: runpy.run_path(one, run_name="__main__"); print("\\nran", one)',
    ],
    ending: 'py',
  },
  'Command line': { ...SHELL, ending: 'sh' },
};

const operations = Object.entries(
  openapi({ version: '1.2.3', max_page_size: DEFAULT_MAX_PAGE_SIZE }).paths,
).flatMap(([path, methods]) => Object.values(methods).map((operation) => ({ path, operation })));
const guideSamples = [
  ...guide(DEFAULT_MAX_PAGE_SIZE, [])
    .map(({ text }) => text)
    .join('\n\n')
    .matchAll(/^```\w+ ([^\n]+)\n(.*?)^```$/gms),
].map(([, label = '', source = '']) => ({ label, source }));

describe('the examples of the reference', () => {
  let service: Service;
  const folder = programFolder();
  let url: string;
  let token: string;

  before(async () => {
    const values = (list: (typeof lists)[keyof typeof lists]) =>
      Object.fromEntries(
        Object.entries({ ...list.fields, ...list.hidden }).map(([name, { example }]) => [name, example]),
      );
    service = await openService(stores[0] as (typeof stores)[number], {
      rows: {
        virtual_numbers: [{ id: 48_151, account_id: ACCOUNT, ...values(lists.virtual_numbers) }],
        additional_services: [{ id: 48_151, account_id: ACCOUNT, ...values(lists.additional_services) }],
      },
    });
    url = `http://127.0.0.1:${await service.listen()}`;
    const made = await createToken(service.operator, ACCOUNT, 'tree', undefined, { reach: 'tree' });
    token = made?.token ?? assert.fail();
    const settings = { maxWebhooks: 1, allow: [], keys: () => [Buffer.alloc(32, 7)] };
    const webhooks = new Webhooks(service.operator, settings, { origin: 'command', actor: 'me' });
    const { id } = await webhooks.create(ACCOUNT, { url: 'https://crm.example.com/hook' });
    await service.operator.write(
      separate(sql`update webhooks set id = ${EXAMPLE_WEBHOOK_ID} where id = ${id}`),
    );
    installCommand(folder);
  });
  after(() => service.close());

  /**
   * Runs examples of a language one after the other, as their readers would, in a folder of their own. Each
   * is a file that bears the name of its operation, as an error then does.
   */
  async function run(label: string, sources: readonly (readonly [name: string, source: string])[]) {
    const { command, words, ending } = LANGUAGES[label] ?? assert.fail(label);
    const files = sources.map(([name, source]) => {
      const text = source.replaceAll(EXAMPLE_URL, url);
      const file = `${name}.${ending}`;
      writeFileSync(
        join(folder, file),
        label === 'curl' ? text.replace('curl', 'curl --silent --show-error --fail') : text,
      );
      return file;
    });
    const env = {
      ...process.env,
      PATH: `${folder}:${process.env['PATH']}`,
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      LINECARD_URL: url,
      LINECARD_TOKEN: token,
    };
    return heard(spawn(command, [...words, ...files], { cwd: folder, env })).ended;
  }

  for (const label of Object.keys(LANGUAGES)) {
    test(`every request, in ${label}`, { skip: LACKING[label] ?? false }, async () => {
      const sources = operations.flatMap(({ path, operation }) =>
        operation['x-codeSamples']
          .filter((sample) => sample.label === label)
          .map(({ source }) => {
            assert.ok(label === 'Command line' || source.includes(EXAMPLE_URL), path);
            return [operation.operationId, source] as const;
          }),
      );
      assert.ok(sources.length > 0);
      const { status, out, err } = await run(label, sources);
      assert.equal(status, 0, err);
      assert.deepEqual(
        [...out.matchAll(/^ran (\w+)\./gm)].map(([, name]) => name),
        sources.map(([name]) => name),
      );
    });
  }

  for (const { label, source } of guideSamples) {
    test(`the guide: ${label}`, { skip: LACKING[label] ?? false }, async () => {
      const { status, out, err } = await run(label, [['guide', source]]);
      assert.equal(status, 0, `${source}\n${err}`);
      assert.match(out, /\+442079460018/);
    });
  }

  for (const label of ['curl', 'Python']) {
    test(`a script in ${label} waits and retries after 429`, { skip: LACKING[label] ?? false }, async () => {
      const server = new Faulty();
      await server.open();
      server.answers(problem(429, 'rate-limited', { 'retry-after': '1' }), (response) =>
        response.end('{"data":[]}'),
      );
      const { source = '' } = guideSamples.find((sample) => sample.label === label) ?? {};
      const { status, out, err } = await run(label, [
        ['limited', source.replaceAll(EXAMPLE_URL, server.url)],
      ]);
      server.close();
      assert.equal(status, 0, err);
      assert.match(out, /data/);
      assert.equal(server.requests.length, 2);
    });
  }

  test('there is one in each language', () => {
    const labels = Object.keys(LANGUAGES);
    assert.deepEqual(
      guideSamples.map(({ label }) => label),
      labels,
    );
    for (const { operation } of operations.filter(({ operation: { security } }) => security.length > 0))
      assert.deepEqual(
        operation['x-codeSamples'].map(({ label }) => label),
        labels,
        operation.operationId,
      );
  });
});
