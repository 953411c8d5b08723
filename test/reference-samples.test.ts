// Every example of a request in the reference, in each of its languages, typed as it stands against a real
// service.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DEFAULT_MAX_PAGE_SIZE, lists } from '../api/contract/contract.ts';
import { EXAMPLE_URL } from '../api/openapi/code-samples.ts';
import { openapi } from '../api/openapi/openapi.ts';
import { ended } from './customer.ts';
import { openService, type Service, stores } from './service.ts';

const ROOT = join(import.meta.dirname, '..');
const ACCOUNT = 'acme';

/** What must be on the machine for a language, and whether it is. */
const here = (command: string, ...words: string[]) => spawnSync(command, words).status === 0;
const LACKING: Readonly<Record<string, string | false>> = {
  curl: !here('curl', '--version') && 'needs curl',
  Python: !here('python3', '-c', 'import requests') && 'needs Python 3 with requests',
};

const operations = Object.entries(
  openapi({ version: '1.2.3', max_page_size: DEFAULT_MAX_PAGE_SIZE }).paths,
).flatMap(([path, methods]) => Object.values(methods).map((operation) => ({ path, operation })));
const guideSamples = [
  ...openapi({ version: '1.2.3', max_page_size: DEFAULT_MAX_PAGE_SIZE }).info.description.matchAll(
    /^```\w+ ([^\n]+)\n(.*?)^```$/gms,
  ),
].map(([, label = '', source = '']) => ({ label, source }));

describe('the examples of the reference', () => {
  let service: Service;
  let folder: string;
  let url: string;

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
    folder = mkdtempSync(join(tmpdir(), 'linecard-samples-'));
    mkdirSync(join(folder, 'node_modules', '@linecard'), { recursive: true });
    symlinkSync(join(ROOT, 'api'), join(folder, 'node_modules', '@linecard', 'client'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(
      join(folder, 'linecard'),
      `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'cli', 'main.ts')}" "$@"\n`,
    );
    chmodSync(join(folder, 'linecard'), 0o755);
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await service.close();
  });

  /** Runs an example as its reader would, in a folder of its own. */
  async function run(label: string, source: string) {
    const text = source.replaceAll(EXAMPLE_URL, url);
    const [command, words]: [string, string[]] =
      label === 'TypeScript'
        ? [process.execPath, [join(folder, 'sample.ts')]]
        : label === 'Python'
          ? ['python3', ['-c', text]]
          : [
              'sh',
              ['-c', label === 'curl' ? text.replace('curl', 'curl --silent --show-error --fail') : text],
            ];
    if (label === 'TypeScript') writeFileSync(join(folder, 'sample.ts'), text);
    const env = {
      ...process.env,
      PATH: `${folder}:${process.env['PATH']}`,
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      LINECARD_URL: url,
      LINECARD_TOKEN: service.tokenOf(ACCOUNT).token,
    };
    return ended(spawn(command, words, { cwd: folder, env }));
  }

  for (const { path, operation } of operations) {
    for (const { label, source } of operation['x-codeSamples']) {
      test(`${operation.operationId}: ${label}`, { skip: LACKING[label] ?? false }, async () => {
        assert.ok(label === 'Command line' || source.includes(EXAMPLE_URL), path);
        const { status, err } = await run(label, source);
        assert.equal(status, 0, `${source}\n${err}`);
      });
    }
  }

  for (const { label, source } of guideSamples) {
    test(`the guide: ${label}`, { skip: LACKING[label] ?? false }, async () => {
      const { status, out, err } = await run(label, source);
      assert.equal(status, 0, `${source}\n${err}`);
      assert.match(out, /\+442079460018/);
    });
  }

  test('there is one in each language', () => {
    const labels = ['curl', 'TypeScript', 'Python', 'Command line'];
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
