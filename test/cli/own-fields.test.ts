// The operator's own fields on the command line: options, columns and help are those of the deployment.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { bundleOf } from '../kit/bundles.ts';
import { type Customer, openCustomer } from '../kit/customer.ts';
import { listen } from '../kit/free-port.ts';
import { declareField, removeField, updateNumbers } from '../kit/own-fields.ts';
import { CLI } from '../kit/program.ts';

const ACCOUNT = 'harbour-dental';
const LIST = ['virtual-numbers', 'list'] as const;

describe('fields of the operator on the command line', () => {
  let customer: Customer;
  before(async () => {
    customer = await openCustomer();
    const { operator } = customer.service;
    for (const [name, kind] of Object.entries({
      x_site: 'text',
      x_lines: 'integer',
      x_last_call: 'timestamp',
    }))
      await declareField(operator, { name, kind });
    await customer.service.refresh();
    const values = [
      { id: 501, x_site: 'Basel', x_lines: 4, x_last_call: '2026-05-05T12:00:00Z' },
      { id: 502, x_site: 'Basel', x_lines: -2 },
      { id: 503, x_site: 'Bern', x_lines: 9 },
    ];
    await updateNumbers(
      operator,
      values.map((row) => ({ account_id: ACCOUNT, ...row })),
    );
  });
  after(() => customer.close());

  const rowsOf = async (...words: string[]) => {
    const { out, err, status } = await customer.linecard([...LIST, ...words, '--output', 'csv']);
    assert.equal(status, 0, err);
    return out.trimEnd().split(/\r?\n/);
  };

  test('filter, sort and show a list by them, as its other fields do', async () => {
    const columns = ['--columns', 'id,x_site,x_lines'];
    assert.deepEqual(await rowsOf('--x-site', 'Basel', '--sort-by', 'x_lines', ...columns), [
      'id,x_site,x_lines',
      '502,Basel,-2',
      '501,Basel,4',
    ]);
    assert.deepEqual(await rowsOf('--x-lines-min', '5', '--columns', 'id'), ['id', '503']);
    assert.deepEqual(await rowsOf('--x-last-call', '2026-05', '--columns', 'id'), ['id', '501']);
    assert.deepEqual(await rowsOf('--has-x-last-call', '--columns', 'id'), ['id', '501']);
  });

  test('the help has them, and says that there may be more where no server answers', async () => {
    const { out } = await customer.linecard([...LIST, '--help']);
    for (const text of ['--x-site <values>', '--x-site-exclude', '--x-lines-max <n>', '--no-has-x-last-call'])
      assert.ok(out.includes(text), text);
    const environment = { LINECARD_URL: 'http://127.0.0.1:9' };
    const { out: alone } = await customer.linecard([...LIST, '--help'], { environment });
    assert.equal(alone.includes('--x-site'), false);
    assert.match(alone, /An operator can declare more fields/);
  });

  test('one that cannot be read now is not called unknown without saying so', async () => {
    const environment = { LINECARD_URL: 'http://127.0.0.1:9' };
    const { err, status } = await customer.linecard([...LIST, '--x-bay', '3'], { environment });
    assert.equal(status, 2);
    assert.match(
      err,
      /There is no option --x-bay.*\n.*\nhttp:\/\/127\.0\.0\.1:9\/openapi\.json cannot be reached, so the fields that its operator has/,
    );
    const signedOut = await customer.linecard([...LIST, '--x-bay', '3'], {
      environment: { LINECARD_URL: '', LINECARD_TOKEN: '' },
    });
    assert.equal(signedOut.status, 2);
    assert.match(signedOut.err, /are read once you are signed in\. You are not signed in\./);
    const known = await customer.linecard([...LIST, '--x-bay', '3']);
    assert.doesNotMatch(known.err, /operator has declared|signed in/);
  });

  test('a service that refuses to say which there are is not called slow', async () => {
    const said = { 401: 'answered 401', 500: 'answered 500', 200: 'answered something that is not JSON' };
    let status = 0;
    const refusing = createServer((_, response) => response.writeHead(status).end('<p>No.</p>'));
    const environment = { LINECARD_URL: `http://127.0.0.1:${await listen(refusing)}` };
    for (const [code, happened] of Object.entries(said)) {
      status = Number(code);
      const { err } = await customer.linecard([...LIST, '--x-bay', '3'], { environment });
      assert.ok(err.includes(`/openapi.json ${happened}, so the fields`), err);
    }
    refusing.close();
  });

  test('an agent has them in the tools of `linecard mcp`', async () => {
    const agent = new Client({ name: 'test', version: '1.0.0' });
    const how = { command: process.execPath, args: [bundleOf(CLI), 'mcp'], env: customer.environment() };
    await agent.connect(new StdioClientTransport(how));
    try {
      const { tools } = await agent.listTools();
      const { inputSchema } = tools.find(({ name }) => name === 'virtual_numbers_list') ?? assert.fail();
      assert.ok('x_site' in (inputSchema.properties ?? {}));
      const given = { x_site: 'Bern', fields: ['id', 'x_site'] };
      const { structuredContent } = await agent.callTool({ name: 'virtual_numbers_list', arguments: given });
      assert.partialDeepStrictEqual(structuredContent, { data: [{ id: 503, x_site: 'Bern' }], total: 1 });
    } finally {
      await agent.close();
    }
  });

  test('one that was removed is no option any more', async () => {
    await removeField(customer.service.operator, 'x_site');
    await customer.service.refresh();
    const { err, status } = await customer.linecard([...LIST, '--x-site', 'Basel']);
    assert.equal(status, 2);
    assert.match(err, /There is no option --x-site/);
  });
});
