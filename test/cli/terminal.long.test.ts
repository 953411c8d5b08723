// `linecard` on a terminal: questions, colours, progress, and what never gets there. The terminal is made by
// `script`, where the system has it.

import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Customer, openCustomer } from '../kit/customer.ts';
import { CLI } from '../kit/program.ts';

const BOLD = '\u001b[1m';
const RED = '\u001b[31m';

const hasScript = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

describe('linecard on a terminal', {
  skip: hasScript ? false : 'there is no `script` of util-linux',
}, () => {
  let customer: Customer;
  before(async () => {
    customer = await openCustomer();
  });
  after(() => customer.close());

  function start(
    words: string,
    changes: Record<string, string | undefined> = {},
  ): ChildProcessWithoutNullStreams {
    const env = customer.environment({ COLUMNS: '80', TERM: 'xterm', SHELL: '/bin/sh', ...changes });
    return spawn('script', ['-qec', `"${process.execPath}" "${CLI}" ${words}`, '/dev/null'], {
      cwd: customer.home,
      env,
    });
  }

  /** All that the terminal got; answers are typed as soon as their question stands there. */
  async function session(
    child: ChildProcessWithoutNullStreams,
    answers: [question: string, typed: string][] = [],
  ) {
    let screen = '';
    let seen = 0;
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      screen += chunk;
      const [question, typed] = answers[0] ?? [];
      const at = question === undefined ? -1 : screen.indexOf(question, seen);
      if (at < 0) return;
      seen = at + 1;
      answers.shift();
      child.stdin.write(typed);
    });
    const [status] = (await once(child, 'close')) as [number];
    return { screen, status };
  }

  test('login prompts, asks again for a bad URL, does not show the token, and stores what was typed', async () => {
    const { url, token, home } = customer;
    const child = start('login', { LINECARD_URL: undefined, LINECARD_TOKEN: undefined });
    const { screen, status } = await session(child, [
      ['URL of', 'ftp://linecard\r'],
      ['URL of', `${url}\r`],
      ['API token', `${token}\r`],
    ]);
    assert.equal(status, 0, screen);
    assert.match(screen, /The URL must be an address such as https:/);
    assert.match(screen, /Signed in at .+: harbour-dental, 7 virtual numbers, 2 additional services/);
    assert.ok(!screen.includes(token));
    const stored = JSON.parse(readFileSync(join(home, 'config', 'linecard', 'config.json'), 'utf8'));
    assert.deepEqual(stored, { url, token });
  });

  test('Ctrl-C at a question ends it', async () => {
    const child = start('login', { LINECARD_URL: undefined, LINECARD_TOKEN: undefined });
    const { screen, status } = await session(child, [['URL of', '\u0003']]);
    assert.ok(status === 130 || status === 2, `${status} ${screen}`);
    assert.ok(!screen.includes('Signed in') && !screen.includes('linecard:'));
  });

  test('an answer of the API is shown where it is text, and a spreadsheet is refused', async () => {
    const account = await session(start('api /api/v1/account'));
    assert.equal(account.status, 0, account.screen);
    assert.match(account.screen, /^\{"id":"harbour-dental",.+\}\r\n$/);
    const file = await session(start('api /api/v1/did/me.xlsx'));
    assert.equal(file.status, 2);
    assert.match(file.screen, /which a terminal cannot show\. Write it to a file/);
  });

  test('spam stands out in colour, unless NO_COLOR is set', async () => {
    const { screen } = await session(start('virtual-numbers list --is-spammed'));
    assert.ok(screen.startsWith(`${BOLD}DID `), screen);
    assert.ok(screen.includes(`${RED + BOLD}SPAM`), screen);
    const { screen: plain } = await session(start('virtual-numbers list --is-spammed', { NO_COLOR: '1' }));
    assert.ok(plain.includes('SPAM') && !plain.includes('\u001b'));
  });

  for (const output of ['table', 'json', 'ndjson', 'csv']) {
    test(`control characters in data do not get there as ${output}`, async () => {
      const { screen } = await session(
        start(`virtual-numbers list --ids 507 --output ${output} --columns id,comment`, { NO_COLOR: '1' }),
      );
      assert.ok(screen.includes('507'));
      assert.doesNotMatch(screen.replaceAll(/\r+\n/g, ''), /\p{Cc}/u);
    });
  }

  test('nor in an export', async () => {
    const { screen } = await session(start('virtual-numbers export --ids 507'));
    assert.ok(screen.includes('507'));
    assert.doesNotMatch(screen.replaceAll(/\r+\n/g, ''), /\p{Cc}/u);
  });
});
