// The official conformance suite of the Model Context Protocol, against `/mcp`: its scenarios that need no
// tools of its own. It sends no token, so a proxy adds one.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { MCP_PATH } from '../../api/contract/addresses.ts';
import { runProgram } from '../kit/program.ts';
import { openService, type Service, stores } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const MAIN = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const ACCOUNT = 'acme';
const SCENARIOS = {
  '2025-06-18': ['server-initialize', 'ping', 'tools-list'],
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'],
  '2026-07-28': [
    'server-stateless',
    'tools-list',
    'caching',
    'http-header-validation',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
  ],
} as const;
/** Checks that ask tools of the suite, prompts or resources, of which there are none. */
const NOT_OFFERED: Readonly<Record<string, readonly string[]>> = {
  'server-stateless': [
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-server-no-log-without-loglevel',
  ],
  caching: [
    'sep-2549-prompts-list-caching-hints',
    'sep-2549-resources-list-caching-hints',
    'sep-2549-resources-templates-list-caching-hints',
  ],
};

/** Passes requests on, and adds the token. */
async function proxyTo(port: number, token: string): Promise<Server> {
  const proxy = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const authorization = `Bearer ${token}`;
    const passed = request({ port, method, path, headers: { ...headers, authorization } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}

describe('the conformance suite of the Model Context Protocol', { concurrency: 2 }, () => {
  const cwd = temporaryFolder();
  let service: Service;
  let proxy: Server;
  before(async () => {
    service = await openService(stores[0] ?? assert.fail(), { accounts: [ACCOUNT] });
    proxy = await proxyTo(await service.listen(), service.tokenOf(ACCOUNT).token);
  });
  after(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await service.close();
  });

  for (const [version, scenarios] of Object.entries(SCENARIOS))
    for (const scenario of scenarios)
      test(`${version}: ${scenario}`, async () => {
        const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${MCP_PATH}`;
        const words = ['server', '--url', url, '--scenario', scenario, '--spec-version', version];
        const { out, err } = await runProgram(words, { main: MAIN, cwd });
        const checks = [
          ...stripVTControlCharacters(out).matchAll(/\[(\S+) *\] (SUCCESS|FAILURE|WARNING)\b/g),
        ];
        const failed = checks.filter(([, , outcome]) => outcome !== 'SUCCESS').map(([, id]) => id);
        assert.deepEqual(failed, NOT_OFFERED[scenario] ?? [], out + err);
        assert.ok(checks.length > failed.length, out + err);
      });
});
