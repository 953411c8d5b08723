// Agents over HTTP as an operator serves them: in two processes, while the service stops, and not at all; and
// what is loaded before the first of them.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { MCP_PATH } from '../../api/contract/addresses.ts';
import { type Agent, agents, withToken } from '../kit/agent.ts';
import { virtual_numbers } from '../kit/model.ts';
import { Operator, type Serving, statusOf } from '../kit/program.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

const ACCOUNTS = ['north', 'south'] as const;
const [NORTH] = ACCOUNTS;
const CALLS = 200;
const CONNECTIONS = 10;
const COLUMNS = 'account_id,id,did,status,subscription_status,frequency,created_at';

/** Prints the modules of packages that are loaded. */
const HOOKS = `
import { writeSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    const [, name] = /\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\/(?!.*\\/node_modules\\/)/.exec(url) ?? [];
    if (name !== undefined) writeSync(2, 'loads ' + name + '\\n');
    return next(url, context);
  },
});
`;

describe('serve with tools for agents', { concurrency: 2 }, () => {
  const folder = temporaryFolder();
  const hooks = join(folder, 'hooks.mjs');
  const operator = new Operator(`sqlite:${join(folder, 'lists.db')}`);
  const watched = new Operator(`sqlite:${join(folder, 'lists.db')}`, {
    NODE_OPTIONS: `--import=${pathToFileURL(hooks)}`,
  });
  const tokens: Record<string, string> = {};

  before(async () => {
    writeFileSync(hooks, HOOKS);
    const rows = ACCOUNTS.map(
      (id, i) => `${id},${i + 1},+44207946001${i},active,active,monthly,2026-01-10T09:00:00Z`,
    );
    const file = join(folder, 'numbers.csv');
    writeFileSync(file, `${[COLUMNS, ...rows].join('\n')}\n`);
    for (const id of ACCOUNTS) {
      await operator.command('account', 'create', id);
      tokens[id] = await operator.mustDo('token', 'create', '--account', id);
    }
    await operator.command('import', 'virtual-numbers', file);
  });
  after(() => {
    operator.close();
    watched.close();
  });

  const connect = ({ url }: Serving, account: string): Promise<Agent> =>
    agents['2026-07-28'](url + MCP_PATH, withToken(tokens[account] ?? ''));

  test('200 calls in parallel, of two accounts over two processes, stay separate', async () => {
    const serving = await operator.serve('--workers', '2', '--rate-limit', '0', '--metrics-port', '0');
    const connected = await Promise.all(
      Array.from({ length: CONNECTIONS }, (_, i) => connect(serving, ACCOUNTS[i % ACCOUNTS.length] ?? NORTH)),
    );
    const calls = Array.from({ length: CALLS }, async (_, i) => {
      const at = i % CONNECTIONS;
      const account = at % ACCOUNTS.length;
      const agent = connected[at] ?? assert.fail();
      const { content } = await (i % 3 === 0
        ? agent.call('account')
        : agent.call('virtual_numbers_list', { fields: ['id'] }));
      if (i % 3 === 0) assert.equal(content?.['id'], ACCOUNTS[account]);
      else assert.deepEqual(content?.['data'], [{ id: account + 1 }]);
    });
    await Promise.all(calls);
    for (const agent of connected) await agent.close();
    const [, metrics = ''] = await serving.says(/"url":"(http:[^"]*\/metrics)"/);
    const text = await (await fetch(metrics)).text();
    const counted = [...text.matchAll(/^http_server_request_duration_seconds_count\{(.+)\} (\d+)$/gm)];
    assert.deepEqual(
      counted.map(([, labels = '']) => /http_route="([^"]*)"/.exec(labels)?.[1]),
      [MCP_PATH],
      text,
    );
    assert.ok(Number(counted[0]?.[2]) >= CALLS);
    serving.child.kill('SIGTERM');
    const { err } = await serving.ended;
    const lines = err.split('\n').filter((line) => line.includes('"route":"/mcp"'));
    const processes = new Set(lines.map((line) => JSON.parse(line).pid));
    assert.equal(processes.size, 2, err);
  });

  test('nothing of it is loaded before the first agent', async () => {
    const serving = await watched.serve();
    const loaded = () => [...serving.said.err.matchAll(/^loads (\S+)$/gm)].map(([, name]) => name);
    const isOfAgents = (name = '') => /^(?:@modelcontextprotocol\/|zod$|light-my-request$)/.test(name);
    assert.equal(await statusOf(serving.url + virtual_numbers.path, tokens[NORTH]), 200);
    assert.equal(await statusOf(`${serving.url}/docs`), 200);
    assert.ok(loaded().includes('fastify'));
    assert.deepEqual(loaded().filter(isOfAgents), []);
    const agent = await connect(serving, NORTH);
    await agent.close();
    await until('it is loaded', () => loaded().some(isOfAgents));
  });

  test('while the service stops, agents are answered as others are', async () => {
    const serving = await operator.serve('--drain', '1m');
    const agent = await connect(serving, NORTH);
    serving.child.kill('SIGTERM');
    await until('it stops', async () => (await statusOf(`${serving.url}/readyz`)) === 503);
    const { content } = await agent.call('account');
    assert.equal(content?.['id'], NORTH);
    serving.child.kill('SIGKILL');
  });

  test('--no-mcp, or LINECARD_NO_MCP, leaves it out', async () => {
    const serving = await operator.serve('--no-mcp');
    const { status } = await fetch(serving.url + MCP_PATH, { method: 'POST' });
    assert.equal(status, 404);
  });
});
