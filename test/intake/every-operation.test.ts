// Every operation, by its route and its command, with what each must refuse: a token that may not, a member
// or an option that it does not have, values of another kind, a record that is not there. Both say why, and
// nothing changes.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { groups } from '../../server/commands/commands.ts';
import { allOperations } from '../../server/operations/all.ts';
import type { AnyOperation } from '../../server/operations/operation.ts';
import { readShape } from '../../server/operations/shape.ts';
import { OPERATIONS } from '../../server/settings/tokens.ts';
import type { Operation } from '../../server/store/access/token-scopes.ts';
import { createOperatorToken } from '../../server/store/access/tokens.ts';
import { readAudit } from '../kit/audit-log.ts';
import { type Intake, MAX_WEBHOOKS, openIntake } from '../kit/intake-server.ts';
import { runProgram } from '../kit/program.ts';
import { loggerInto, stores } from '../kit/service.ts';
import { selectIn } from '../kit/stored-items.ts';

const KEY = Buffer.alloc(32, 7);
const operations = allOperations(
  { publicUrl: 'https://numbers.example.com', logger: loggerInto([]) },
  { maxWebhooks: MAX_WEBHOOKS, allow: [], keys: () => [KEY] },
);
const TABLES = ['accounts', 'tokens', 'operator_tokens', 'webhooks', 'own_fields', 'import_runs'];
/** No record has it. */
const GONE = '4fTq0Vb2LxYz';
const UNKNOWN = 'colour';
/** No member is that. */
const WRONG = { not: 'a value' };

/** What commands do otherwise: a portal's backend repeats a request, makes links, and looks at one run. */
const HTTP_ALONE = ['account put', 'sign-in create', 'sign-in delete', 'import run'];
/** What a command needs to be about something, in addition to its arguments. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  'account update': ['--currency', 'EUR'],
  'account delete': ['--yes'],
  'account erase': ['--yes'],
  'webhook update': ['--events', 'spam_flagged'],
  'webhook replay': ['--from', '12h'],
  'field show': ['--list', 'virtual-numbers'],
  'field change': ['--list', 'virtual-numbers', '--title', 'Site'],
  'field remove': ['--list', 'virtual-numbers', '--yes'],
  'field derive': ['--list', 'virtual-numbers'],
};

const isInQuery = ({ route: { method } }: AnyOperation) => method === 'GET' || method === 'DELETE';
const nameOf = ({ route: { method, path }, words }: AnyOperation) => `${words} (${method} ${path})`;

/** As the reference shows it. */
function exampleOf({ takes, shown = [] }: AnyOperation): Record<string, unknown> {
  return Object.fromEntries(shown.map((name) => [name, takes[name]?.example]));
}

const pathOf = ({ route: { path } }: AnyOperation) =>
  path
    .slice(1)
    .replace('{list}', 'virtual_numbers')
    .replaceAll(/\{\w+\}/g, GONE);

const commands = new Map(
  groups.flatMap(({ name, commands: all }) =>
    all.map((one) => {
      const [word = '', ...args] = one.words.split(' ').filter(Boolean);
      const isWord = /^\w/.test(word);
      return [[name, isWord ? word : ''].join(' ').trim(), isWord ? args : [word, ...args]] as const;
    }),
  ),
);

describe('every operation', () => {
  let intake: Intake;
  let everything: string;
  const tokens = new Map<string, string>();
  let portal: string;

  before(async () => {
    const [kind] = stores;
    assert.ok(kind);
    intake = await openIntake(kind, { publicUrl: 'https://numbers.example.com' });
    const made = async (may: readonly Operation[]) =>
      (await createOperatorToken(intake.operator, { name: may.join(), may })).token;
    portal = await made(OPERATIONS);
    for (const one of OPERATIONS) tokens.set(one, await made(OPERATIONS.filter((other) => other !== one)));
    everything = await stored();
  });
  after(() => intake.close());

  /** All that could have changed, but for when tokens were used. */
  async function stored(): Promise<string> {
    const rows = [];
    for (const table of TABLES) {
      const columns = table.endsWith('tokens') ? 'id, name, expires_at, revoked_at' : '*';
      rows.push(await selectIn(intake.operator, `select ${columns} from ${table}`));
    }
    return JSON.stringify([rows, await readAudit(intake.operator, {})]);
  }

  function send(operation: AnyOperation, given: Record<string, unknown>, token = portal) {
    const query = isInQuery(operation)
      ? new URLSearchParams(Object.entries(given).map(([name, one]) => [name, String(one)]))
      : '';
    const isEmpty = Object.keys(given).length === 0;
    return intake.sendWith(
      operation.route.method,
      `${pathOf(operation)}${query === '' ? '' : `?${query}`}`,
      isInQuery(operation) || isEmpty ? undefined : JSON.stringify(given),
      {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(isEmpty || isInQuery(operation) ? {} : { 'content-type': 'application/json' }),
      },
    );
  }

  /** Runs its command on what is not there. */
  function run(words: string, options: readonly string[]) {
    const args = (commands.get(words) ?? []).map(() => GONE);
    const env = { LINECARD_DATABASE_URL: intake.database_url, LINECARD_SIGNING_KEY: KEY.toString('base64') };
    return runProgram([...words.split(' '), ...args, ...options], { env });
  }

  test('has a command, or is a request alone for a reason', () => {
    const without = operations.filter(({ words }) => !commands.has(words)).map(({ words }) => words);
    assert.deepEqual(without, HTTP_ALONE);
  });

  for (const operation of operations) {
    const { words, route, takes, id } = operation;

    describe(nameOf(operation), () => {
      test('has an example that it would take', () => {
        readShape(takes, exampleOf(operation), operation.of);
      });

      test('is for a token that may', async () => {
        const none = await send(operation, exampleOf(operation), '');
        assert.equal(none.status, 401, none.text);
        const refused = await send(operation, exampleOf(operation), tokens.get(route.permission));
        assert.equal(refused.status, 403, refused.text);
        assert.ok(refused.json.detail.includes(`--may ${route.permission}`), refused.text);
        assert.equal(await stored(), everything);
      });

      test('refuses what it does not take, by its name', async () => {
        const { status, json, text } = await send(operation, { ...exampleOf(operation), [UNKNOWN]: 'red' });
        assert.equal(status, isInQuery(operation) ? 400 : 422, text);
        const member = isInQuery(operation) ? 'parameter' : 'member';
        assert.ok(
          json.errors.some((fault: Record<string, string>) => fault[member] === UNKNOWN),
          text,
        );
        assert.equal(await stored(), everything);
        if (!commands.has(words)) return;
        const { status: ended, err } = await run(words, [`--${UNKNOWN}`, 'red']);
        assert.equal(ended, 2, err);
        assert.match(err, new RegExp(`unknown option '--${UNKNOWN}'`));
        assert.equal(await stored(), everything);
      });

      if (!isInQuery(operation) && Object.keys(takes).length > 0)
        test('names every member of another kind', async () => {
          const given = Object.fromEntries(Object.keys(takes).map((name) => [name, WRONG]));
          const { status, json, text } = await send(operation, given);
          assert.equal(status, 422, text);
          const named = json.errors.map(({ member }: { member: string }) => member);
          assert.deepEqual(new Set(named), new Set(Object.keys(takes)), text);
          for (const { detail } of json.errors) assert.ok(!detail.includes('[object'), detail);
          assert.equal(await stored(), everything);
        });

      if (id !== undefined && route.method !== 'PUT')
        test('says of what is not there that it is not, as its command does', async () => {
          const confirmed = 'confirm' in takes ? { confirm: GONE } : {};
          const { status, json, text } = await send(operation, { ...exampleOf(operation), ...confirmed });
          assert.equal(status, 404, text);
          assert.equal(await stored(), everything);
          if (!commands.has(words)) return;
          const [says] = json.detail.split(' See: ');
          const { status: ended, err } = await run(words, OPTIONS[words] ?? []);
          assert.equal(ended, 1, err);
          assert.ok(err.includes(says), `${says}\n${err}`);
          assert.equal(await stored(), everything);
        });
    });
  }

  test('has a request in the reference that is understood', async () => {
    const { json: document } = await intake.sendWith('GET', 'openapi.json', undefined);
    for (const { route, words } of operations) {
      const [sample] = document.paths[`/intake/v1${route.path}`][route.method.toLowerCase()]['x-codeSamples'];
      const [, path = ''] = /"\$INTAKE_URL\/intake\/v1\/([^"]*)"/.exec(sample.source) ?? [];
      const [, body] = /-d '(.*)'$/.exec(sample.source) ?? [];
      const { status, text } = await intake.sendWith(route.method, path, body, {
        authorization: `Bearer ${portal}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      });
      assert.ok(status < 300 || status === 404 || status === 409, `${words}: ${sample.source} ${text}`);
    }
  });
});
