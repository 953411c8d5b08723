// `linecard whoami`: the account of the token, and where it is used.

import type { Account } from '@linecard/client';
import { localTime } from '@linecard/client/agent/times';
import { lists } from '@linecard/client/contract';
import { visible, visibleJson } from '@linecard/client/contract/printable';
import { clientOf } from './connect.ts';
import { paintFor, print } from './print.ts';
import { currentSignIn } from './sign-in.ts';

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
    ['Last change', updated_at === null ? 'never' : localTime(updated_at)],
    ['Token', token.name === '' ? token.id : `${token.name} (${token.id})`],
    ...(token.reach === 'tree' ? [['Token reaches', 'the accounts below as well'] as [string, string]] : []),
    ['Token ends', token.expires_at === null ? 'never' : localTime(token.expires_at)],
  ];
}

/** @throws {Problem} */
export async function whoami(
  output: 'table' | 'json',
  account_id: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const signIn = await currentSignIn();
  const account = await clientOf(signIn, { account: account_id }).account({ signal });
  const { stdout } = process;
  if (output === 'json') {
    const json = `${JSON.stringify(account, null, 2)}\n`;
    return print([stdout.isTTY ? visibleJson(json) : json]);
  }
  const lines = linesOf(signIn.url, account);
  const width = Math.max(...lines.map(([heading]) => heading.length));
  const paint = paintFor(stdout);
  await print(
    lines.map(([heading, text]) => `${paint('heading', heading.padEnd(width))}${GAP}${visible(text)}\n`),
  );
}
