// Answers that a client begins and does not read at once, of lists so long that sockets cannot hold them.

import { once } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { hardRows } from './hard-rows.ts';
import type { ModelRow } from './model.ts';

/** So many numbers of an account, with ids from one on, whose comments have so many characters. */
export function longRows(account_id: string, from: number, rows: number, characters: number): ModelRow[] {
  const [row] = hardRows.virtual_numbers;
  return Array.from({ length: rows }, (_, i) => ({
    ...(row as ModelRow),
    account_id,
    id: from + i,
    comment: 'x'.repeat(characters),
  }));
}

/** Asks on a connection of its own; what comes is not read, and may break off. */
export async function begin(
  port: number,
  path: string,
  headers: OutgoingHttpHeaders,
): Promise<IncomingMessage> {
  const outgoing = request({ port, path, headers, agent: false }).end();
  outgoing.on('error', () => {});
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  answer.on('error', () => {});
  return answer;
}
