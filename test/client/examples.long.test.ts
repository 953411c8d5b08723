// The examples of the client, in its README and in the comments of its code: each compiles as a customer’s
// program would, and runs against a real service.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, mock, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { clientProblems } from '@linecard/client';
import { addFieldOperation } from '../../server/operations/fields.ts';
import { readShape } from '../../server/operations/shape.ts';
import { createAccount } from '../../server/store/access/accounts.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { move } from '../kit/account-tree.ts';
import { mustCompile, programFolder } from '../kit/client-programs.ts';
import { hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { openService, type Service, stores } from '../kit/service.ts';
import { Webhooks } from '../kit/webhooks.ts';

const API = join(import.meta.dirname, '..', '..', 'api');
const EXAMPLE = /^([ *]*)```ts\n(.*?)^[ *]*```$/gms;
const URL_SHOWN = "'https://linecard.example.com'";
const TOKEN_SHOWN = "'lc_…'";
const CLIENT = `import { Client } from '@linecard/client';
const client = new Client({ url: ${URL_SHOWN}, token: ${TOKEN_SHOWN} });
`;

interface Example {
  readonly name: string;
  readonly code: string;
}

/** The examples of a file, each as a program that stands alone. */
function examplesOf(path: string): Example[] {
  const text = readFileSync(join(API, path), 'utf8');
  return [...text.matchAll(EXAMPLE)].map(([, margin = '', body = ''], i) => {
    const code = body
      .split('\n')
      .map((line) => (line.startsWith(margin) ? line.slice(margin.length) : line.replace(/^[ *]*$/, '')))
      .join('\n');
    return { name: `${path} ${i + 1}`, code: /\bconst client = /.test(code) ? code : CLIENT + code };
  });
}

const examples = readdirSync(API, { encoding: 'utf8', recursive: true })
  .filter((path) => path === 'README.md' || /^(?!dist|node_modules).*(?<!\.test)\.ts$/.test(path))
  .flatMap(examplesOf);

describe('the examples of the client', () => {
  let service: Service;
  const folder = programFolder('@types');
  const pathOf = (example: Example) => join(folder, `${example.name.replace(/\W+/g, '-')}.ts`);

  before(async () => {
    service = await openService(stores[0] as (typeof stores)[number], { rows: hardRows });
    const { operator } = service;
    await createAccount(operator, 'harbour-dental');
    await move(operator, 'harbour-dental', LARGE_ACCOUNT);
    const settings = { maxWebhooks: 1, allow: [], keys: () => [Buffer.alloc(32)] };
    const webhooks = new Webhooks(operator, settings, { origin: 'command', actor: 'me' });
    await webhooks.create(LARGE_ACCOUNT, { url: 'https://crm.example.com/' });
    const { token = '' } =
      (await createToken(operator, LARGE_ACCOUNT, 'tree', undefined, { reach: 'tree' })) ?? {};
    for (const [name, kind] of Object.entries({ x_site: 'text', x_last_call: 'timestamp' }))
      await addFieldOperation.run(
        { store: operator, by: { origin: 'command', actor: 'me' } },
        readShape(addFieldOperation.takes, { list: 'virtual_numbers', name, kind }, 'a field'),
        '',
      );
    await service.refresh();
    const url = `http://127.0.0.1:${await service.listen()}`;
    for (const example of examples) {
      const code = example.code
        .replaceAll(URL_SHOWN, JSON.stringify(url))
        .replaceAll(TOKEN_SHOWN, JSON.stringify(token));
      writeFileSync(pathOf(example), `${code}\nexport {};\n`);
    }
  });
  after(() => service.close());

  test('there are some', () => assert.ok(examples.length >= 15, `${examples.length}`));

  test('they compile', () => mustCompile(folder));

  for (const example of examples) {
    test(`${example.name} runs`, async () => {
      const here = process.cwd();
      const said = (['log', 'error'] as const).map((name) => mock.method(console, name, () => {}));
      try {
        process.chdir(folder);
        await import(pathToFileURL(pathOf(example)).href);
        if (example.code.includes('console.')) assert.ok(said.some((one) => one.mock.callCount() > 0));
      } finally {
        process.chdir(here);
        mock.restoreAll();
      }
    });
  }

  test('the README names every problem of the client, in the same words', () => {
    const text = readFileSync(join(API, 'README.md'), 'utf8');
    for (const [code, { about }] of Object.entries(clientProblems)) {
      assert.ok(text.includes(`| \`${code}\` | ${about} |`), code);
    }
  });
});
