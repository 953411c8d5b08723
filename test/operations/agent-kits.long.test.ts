// Agents' kits of others, installed as their users install them: they connect, list the tools and call them,
// with good, bad and null arguments. And what the list of tools costs an agent, by a tokenizer.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { tools } from '../../api/agent/tools.ts';
import { MCP_PATH } from '../../api/contract/addresses.ts';
import { mustRun } from '../kit/client-programs.ts';
import { numberRow } from '../kit/rows.ts';
import { openService, type Service, stores } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const ACCOUNT = 'acme';
const MAX_TOKENS = 3_200;
const PACKAGES = [
  '@ai-sdk/mcp@1.0.102',
  '@langchain/mcp-adapters@1.1.4',
  '@langchain/core@1.4.0',
  'gpt-tokenizer@4.0.0',
];
const CALLS = [
  ['virtual_numbers_list', { country_codes: ['GB'], fields: ['id'] }],
  ['virtual_numbers_list', { is_spammed: null, activated: null, fields: ['id'], q: null, page: null }],
  ['virtual_numbers_list', { country_code: ['GB'] }],
  ['virtual_numbers_list', { sort_by: 'price' }],
  ['virtual_numbers_list', { fields: ['number'], page_size: 500 }],
  ['virtual_numbers_get', { number: '+44 20 7946 9999', id: null }],
] as const;

/** Each prints the names of the tools, and the text of the answer to each call. */
const BEFORE = `
const { URL_OF_TOOLS: url, TOKEN: token } = process.env;
const headers = { Authorization: \`Bearer \${token}\` };
const calls = ${JSON.stringify(CALLS)};
const print = (names, texts) => console.log(JSON.stringify({ names, texts }));
const texts = [];
`;
const PROGRAMS = {
  '@ai-sdk/mcp': `import { createMCPClient } from '@ai-sdk/mcp';
${BEFORE}
const client = await createMCPClient({ transport: { type: 'http', url, headers } });
const tools = await client.tools();
for (const [name, given] of calls) {
  const { content } = await tools[name].execute(given, { messages: [], toolCallId: name });
  texts.push(content[0].text);
}
await client.close();
print(Object.keys(tools), texts);
`,
  '@langchain/mcp-adapters': `import { MultiServerMCPClient } from '@langchain/mcp-adapters';
${BEFORE}
const client = new MultiServerMCPClient({ linecard: { transport: 'http', url, headers } });
const tools = await client.getTools();
for (const [name, given] of calls) {
  const tool = tools.find((one) => one.name === name);
  const answer = await tool.invoke(given).catch((error) => error.message);
  texts.push(typeof answer === 'string' ? answer : answer[0].text);
}
await client.close();
print(tools.map(({ name }) => name), texts);
`,
};
const tokensOf = (text: string) => `import { encode } from 'gpt-tokenizer/encoding/o200k_base';
console.log(encode(${JSON.stringify(text)}).length);
`;

describe("agents' kits of others", () => {
  const folder = temporaryFolder();
  let service: Service;
  let environment: Record<string, string>;

  before(async () => {
    service = await openService(stores[0] ?? assert.fail(), {
      rows: { virtual_numbers: [1, 2].map((id) => numberRow(ACCOUNT, id, { country_code: 'GB' })) },
    });
    const url = `http://127.0.0.1:${await service.listen()}${MCP_PATH}`;
    environment = { URL_OF_TOOLS: url, TOKEN: service.tokenOf(ACCOUNT).token };
    writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }');
    await mustRun('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...PACKAGES], folder);
  });
  after(() => service.close());

  for (const [kit, program] of Object.entries(PROGRAMS))
    test(`${kit} has every tool, and reads what the service says of each call`, async () => {
      const file = join(folder, `${kit.replaceAll(/\W+/g, '-')}.js`);
      writeFileSync(file, program);
      const { names, texts } = JSON.parse(await mustRun(process.execPath, [file], folder, environment));
      assert.deepEqual(
        names,
        tools.map(({ name }) => name),
      );
      const [good, nulls, misspelt, key, fields, none] = texts;
      for (const text of [good, nulls]) assert.match(text, /\{"id":1\},\{"id":2\}/);
      assert.match(misspelt, /"country_code" is not an argument .+ Did you mean "country_codes"\?/);
      assert.match(key, /sort_by must be one of/);
      assert.match(fields, /was "number"/);
      assert.match(none, /This account has no virtual number of that number\./);
    });

  test(`the list of tools is less than ${MAX_TOKENS} tokens of o200k`, async () => {
    const headers = { authorization: service.tokenOf(ACCOUNT).token, 'content-type': 'application/json' };
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    const accept = 'application/json, text/event-stream';
    const answer = await service.send('POST', MCP_PATH, { ...headers, accept }, body);
    const { result } = JSON.parse(answer.body.replace(/^event: message\ndata: /, ''));
    assert.equal(result.tools.length, tools.length);
    const counter = join(folder, 'tokens.js');
    writeFileSync(counter, tokensOf(JSON.stringify(result)));
    const counted = Number(await mustRun(process.execPath, [counter], folder));
    assert.ok(counted > 1_000 && counted < MAX_TOKENS, `${counted}`);
  });
});
