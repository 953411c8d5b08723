// A deployment of processes of its own, as an operator starts it: `serve` with several workers, and `intake`,
// which takes the imports. It knows nothing of histories or copies.

import assert from 'node:assert/strict';
import { createOperatorToken } from '../../server/store/access/tokens.ts';
import { openStore } from '../../server/store/open.ts';
import type { Deployment } from './changes-world.ts';
import { serveProgram, stopProgram } from './program.ts';
import { type Import, SENT, targetOf } from './random-imports.ts';
import { linksOf, type StoreKind } from './service.ts';

const WORKERS = '2';

export async function openProcesses(kind: StoreKind): Promise<Deployment> {
  const database = await kind.make();
  const operator = await openStore(database.url, 'write');
  const { token } = await createOperatorToken(operator, { name: 'feed' });
  const common = ['--database-url', database.url, '--log-level', 'error', '--rate-limit', '0'];
  const [serve, intake] = await Promise.all([
    serveProgram(['serve', '--workers', WORKERS, ...common]),
    serveProgram(['intake', ...common]),
  ]);
  return {
    operator,
    async ask(url, headers) {
      const response = await fetch(new URL(url, serve.url), { headers });
      const bytes = new Uint8Array(await response.arrayBuffer());
      const sent = Object.fromEntries(response.headers);
      const body = new TextDecoder().decode(bytes);
      return { status: response.status, body, bytes, headers: sent, links: linksOf(sent['link']) };
    },
    async send({ list, mode }: Import, body) {
      const [method] = SENT[mode];
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' };
      const response = await fetch(new URL(targetOf(list, mode), intake.url), { method, headers, body });
      assert.equal(response.status, 200, await response.text());
    },
    async close() {
      for (const one of [serve, intake]) await stopProgram(one);
      await operator.close();
      await database.remove();
    },
  };
}
