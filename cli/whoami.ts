// `linecard whoami`: the account of the token, and where it is used.

import type { Account } from '@linecard/client';
import { localTime } from '@linecard/client/agent/times';
import { lists } from '@linecard/client/contract';
import { visible } from '@linecard/client/contract/printable';
import { connect } from './connect.ts';
import type { GivenOptions } from './options.ts';
import { paintFor, print, printJson } from './print.ts';

const GAP = '  ';
const NOT_VISIBLE = 'not visible to this token';

function linesOf(url: string, account: Account): [heading: string, text: string][] {
  const { id, name, currency, updated_at, token } = account;
  const counts = Object.values(lists).map(
    ({ name: list, title }) => [title, String(account[list] ?? NOT_VISIBLE)] as [string, string],
  );
  return [
    ['Server', url],
    ['Account', name === '' ? id : `${name} (${id})`],
    // A server of an older version does not say.
    ['Currency', token.charges === false ? NOT_VISIBLE : (currency ?? 'not set')],
    ...counts,
    ['Last change', localTime(updated_at)],
    ['Token', token.name === '' ? token.id : `${token.name} (${token.id})`],
    ...(token.reach === 'tree' ? [['Token reaches', 'the accounts below as well'] as [string, string]] : []),
    ['Token ends', token.expires_at === null ? 'never' : localTime(token.expires_at)],
  ];
}

/** @throws {Problem} */
export async function whoami(
  output: 'table' | 'json',
  given: GivenOptions,
  signal: AbortSignal,
): Promise<void> {
  const { client, url } = await connect(given);
  const account = await client.account({ signal });
  if (output === 'json') return printJson(account);
  const lines = linesOf(url, account);
  const width = Math.max(...lines.map(([heading]) => heading.length));
  const paint = paintFor(process.stdout);
  await print(
    lines.map(([heading, text]) => `${paint('heading', heading.padEnd(width))}${GAP}${visible(text)}\n`),
  );
}
