// What an operator can do to accounts and tokens, by command and over HTTP: the same effects, the same
// sentences, the same entries in the audit log, whether what is given is good or bad.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createOperatorToken } from '../../server/store/access/tokens.ts';
import { readAudit } from '../kit/audit-log.ts';
import { type Answered, type Intake, openIntake } from '../kit/intake-server.ts';
import { runProgram } from '../kit/program.ts';
import { stores } from '../kit/service.ts';
import { selectIn } from '../kit/stored-items.ts';

const JSON_BODY = { 'content-type': 'application/json' };
const ACCOUNT = 'select id, name, currency, parent_id, disabled_at is not null from accounts where id = ';
const TOKENS =
  'select name, kind, lists, charges, addresses, rate_limit, reach, expires_at is null, revoked_at is null, suspended_at is null from tokens where account_id = ';
const NONE = '4fTq0Vb2LxYz';
const HOOK = 'https://crm.example.com/hook';
const KEY = Buffer.alloc(32, 7).toString('base64');

/** A request: method, path and body. */
type Request = readonly [method: string, path: string, body?: object | undefined];

/** What is done to an account or its tokens. `newest` is the id of the last token of the account. */
interface Act {
  readonly does: string;
  readonly words: (account: string, newest: string) => readonly string[];
  readonly request: (account: string, newest: string) => Request;
}

const GOOD: readonly Act[] = [
  {
    does: 'creates an account',
    words: (id) => ['account', 'create', id, '--name', 'One', '--currency', 'EUR'],
    request: (id) => ['POST', 'accounts', { id, name: 'One', currency: 'EUR' }],
  },
  {
    does: 'changes its name and puts it below another',
    words: (id) => ['account', 'update', id, '--name', 'Two ', '--parent', 'above'],
    request: (id) => ['PATCH', `accounts/${id}`, { name: 'Two ', parent_id: 'above' }],
  },
  {
    does: 'gives it the currency of the deployment, and puts it below no other',
    words: (id) => ['account', 'update', id, '--currency', 'none', '--parent', 'none'],
    request: (id) => ['PATCH', `accounts/${id}`, { currency: null, parent_id: null }],
  },
  {
    does: 'creates a token with limits',
    words: (id) => [
      ...['token', 'create', '--account', id, '--name', 'phone book', '--expires-in', '90d'],
      ...['--lists', 'virtual-numbers', '--without-charges', '--from', '203.0.113.7', '--reach', 'tree'],
      ...['--rate-limit', '60'],
    ],
    request: (account_id) => [
      'POST',
      'tokens',
      {
        ...{ account_id, name: 'phone book', expires_in: '90d', lists: ['virtual_numbers'] },
        ...{ charges: false, addresses: ['203.0.113.7'], reach: 'tree', rate_limit: 60 },
      },
    ],
  },
  {
    does: 'disables it',
    words: (id) => ['account', 'disable', id],
    request: (id) => ['POST', `accounts/${id}/disable`],
  },
  {
    does: 'enables it',
    words: (id) => ['account', 'enable', id],
    request: (id) => ['POST', `accounts/${id}/enable`],
  },
  {
    does: 'replaces its token',
    words: (_, newest) => ['token', 'rotate', newest, '--overlap', '7d'],
    request: (_, newest) => ['POST', `tokens/${newest}/rotate`, { overlap: '7d' }],
  },
  {
    does: 'revokes the new one',
    words: (_, newest) => ['token', 'revoke', newest],
    request: (_, newest) => ['DELETE', `tokens/${newest}`],
  },
  {
    does: 'revokes it again, which changes nothing',
    words: (_, newest) => ['token', 'revoke', newest],
    request: (_, newest) => ['DELETE', `tokens/${newest}`],
  },
  {
    does: 'creates a token without limits',
    words: (id) => ['token', 'create', '--account', id],
    request: (account_id) => ['POST', 'tokens', { account_id }],
  },
  {
    does: 'renames it',
    words: (id) => ['account', 'rename', id, `${id} two`],
    request: (id) => ['POST', `accounts/${id}/rename`, { new_id: `${id} two` }],
  },
  {
    does: 'gives it its id back',
    words: (id) => ['account', 'rename', `${id} two`, id],
    request: (id) => ['POST', `accounts/${id}%20two/rename`, { new_id: id }],
  },
  {
    does: 'deletes it with its tokens',
    words: (id) => ['account', 'delete', id, '--yes'],
    request: (id) => ['DELETE', `accounts/${id}?confirm=${id}`],
  },
  {
    does: 'erases what is recorded of it',
    words: (id) => ['account', 'erase', id, '--yes'],
    request: (id) => ['POST', `accounts/${id}/erase`, { confirm: id }],
  },
];

/** The status over HTTP, and what both say after the name of a member or an option. */
interface BadAct extends Act {
  readonly status: number;
  readonly says: string;
}

const bad = (status: number, says: string, words: readonly string[], request: Request): BadAct => ({
  ...{ does: says, status, says },
  words: () => words,
  request: () => request,
});
const long = 'x'.repeat(101);
const networks = Array.from({ length: 21 }, (_, i) => `10.${i}.0.0/16`);
const createToken = ['token', 'create', '--account', 'above'];
const createWebhook = ['webhook', 'create', '--account', 'above'];
const webhookOf = (more: object): Request => ['POST', 'webhooks', { account_id: 'above', ...more }];
const tokenOf = (more: object): Request => ['POST', 'tokens', { account_id: 'above', ...more }];

const BAD: readonly BadAct[] = [
  bad(
    422,
    'must be an integer from 1 to 1000000000',
    [...createToken, '--rate-limit', '0'],
    tokenOf({ rate_limit: 0 }),
  ),
  bad(
    409,
    'The account above already exists.',
    ['account', 'create', 'above'],
    ['POST', 'accounts', { id: 'above' }],
  ),
  bad(
    422,
    'must have 1 to 100 characters, but has 101.',
    ['account', 'create', long],
    ['POST', 'accounts', { id: long }],
  ),
  bad(
    422,
    'must not contain control characters.',
    ['account', 'create', 'a\u0007b'],
    ['POST', 'accounts', { id: 'a\u0007b' }],
  ),
  bad(
    422,
    'must not begin or end with white space.',
    ['account', 'create', ' a'],
    ['PUT', 'accounts/%20a', {}],
  ),
  bad(
    422,
    'must be an ISO 4217 code in upper case, such as EUR',
    ['account', 'create', 'new', '--currency', 'euro'],
    ['POST', 'accounts', { id: 'new', currency: 'euro' }],
  ),
  bad(
    422,
    'must not contain control characters other than tab and line breaks, but contains U+0007',
    ['account', 'create', 'new', '--name', 'a\u0007b'],
    ['POST', 'accounts', { id: 'new', name: 'a\u0007b' }],
  ),
  bad(
    422,
    'nobody: there is no account "nobody".',
    ['account', 'create', 'new', '--parent', 'nobody'],
    ['POST', 'accounts', { id: 'new', parent_id: 'nobody' }],
  ),
  bad(
    422,
    'below: makes a loop: "above" below "below" below "above". No account can be below itself: correct one of them.',
    ['account', 'update', 'above', '--parent', 'below'],
    ['PATCH', 'accounts/above', { parent_id: 'below' }],
  ),
  bad(
    404,
    'There is no account nobody.',
    ['account', 'update', 'nobody', '--name', 'x'],
    ['PATCH', 'accounts/nobody', { name: 'x' }],
  ),
  bad(404, 'There is no account nobody.', ['account', 'show', 'nobody'], ['GET', 'accounts/nobody']),
  bad(
    404,
    'There is no account nobody.',
    ['account', 'disable', 'nobody'],
    ['POST', 'accounts/nobody/disable'],
  ),
  bad(
    404,
    'There is no account nobody.',
    ['account', 'enable', 'nobody'],
    ['POST', 'accounts/nobody/enable'],
  ),
  bad(
    404,
    'There is no account nobody.',
    ['account', 'delete', 'nobody', '--yes'],
    ['DELETE', 'accounts/nobody?confirm=nobody'],
  ),
  bad(
    404,
    'There is no account nobody.',
    ['account', 'rename', 'nobody', 'new'],
    ['POST', 'accounts/nobody/rename', { new_id: 'new' }],
  ),
  bad(
    409,
    'The account below already exists.',
    ['account', 'rename', 'above', 'below'],
    ['POST', 'accounts/above/rename', { new_id: 'below' }],
  ),
  bad(
    422,
    'must not begin or end with white space.',
    ['account', 'rename', 'above', ' a'],
    ['POST', 'accounts/above/rename', { new_id: ' a' }],
  ),
  bad(
    409,
    'Below above there is below.',
    ['account', 'delete', 'above', '--yes'],
    ['DELETE', 'accounts/above?confirm=above'],
  ),
  bad(
    404,
    'There is no account nobody.',
    ['token', 'create', '--account', 'nobody'],
    ['POST', 'tokens', { account_id: 'nobody' }],
  ),
  bad(
    404,
    'There is no account nobody.',
    ['token', 'list', '--account', 'nobody'],
    ['GET', 'tokens?account=nobody'],
  ),
  bad(
    422,
    'must be a number of minutes, hours, days or weeks such as 30m, 12h, 90d or 4w',
    [...createToken, '--expires-in', '90'],
    tokenOf({ expires_in: '90' }),
  ),
  bad(
    422,
    '10.1.2.3/8 names an address within a network: write 10.0.0.0/8',
    [...createToken, '--from', '10.1.2.3/8'],
    tokenOf({ addresses: ['10.1.2.3/8'] }),
  ),
  bad(
    422,
    'may name at most 20 networks, but names 21',
    [...createToken, ...networks.flatMap((one) => ['--from', one])],
    tokenOf({ addresses: networks }),
  ),
  bad(
    422,
    'must be a text of at most 100 characters, none of them control.',
    [...createToken, '--name', long],
    tokenOf({ name: long }),
  ),
  bad(404, `There is no token ${NONE}.`, ['token', 'show', NONE], ['GET', `tokens/${NONE}`]),
  bad(404, `There is no token ${NONE}.`, ['token', 'rotate', NONE], ['POST', `tokens/${NONE}/rotate`]),
  bad(404, `There is no token ${NONE}.`, ['token', 'revoke', NONE], ['DELETE', `tokens/${NONE}`]),
  bad(
    422,
    'must not name "flagged" (did you mean spam_flagged?).',
    [...createWebhook, '--url', HOOK, '--events', 'flagged'],
    webhookOf({ url: HOOK, events: ['flagged'] }),
  ),
  bad(
    422,
    'must not name charges_changed for an endpoint without charges.',
    [...createWebhook, '--url', HOOK, '--events', 'charges_changed', '--without-charges'],
    webhookOf({ url: HOOK, events: ['charges_changed'], charges: false }),
  ),
  bad(
    422,
    'must not be the private or reserved address 10.0.0.1; --deliver-allow allows one.',
    [...createWebhook, '--url', 'https://10.0.0.1/'],
    webhookOf({ url: 'https://10.0.0.1/' }),
  ),
  bad(
    404,
    'There is no account nobody.',
    ['webhook', 'create', '--account', 'nobody', '--url', HOOK],
    ['POST', 'webhooks', { account_id: 'nobody', url: HOOK }],
  ),
  ...(['pause', 'enable', 'rotate', 'test'] as const).map((act) =>
    bad(404, `There is no webhook ${NONE}.`, ['webhook', act, NONE], ['POST', `webhooks/${NONE}/${act}`]),
  ),
  bad(404, `There is no webhook ${NONE}.`, ['webhook', 'show', NONE], ['GET', `webhooks/${NONE}`]),
  bad(
    404,
    'Nothing is recorded of an account nobody.',
    ['account', 'erase', 'nobody', '--yes'],
    ['POST', 'accounts/nobody/erase', { confirm: 'nobody' }],
  ),
  bad(
    409,
    'The account above still exists: delete it first.',
    ['account', 'erase', 'above', '--yes'],
    ['POST', 'accounts/above/erase', { confirm: 'above' }],
  ),
  bad(404, `There is no webhook ${NONE}.`, ['webhook', 'delete', NONE], ['DELETE', `webhooks/${NONE}`]),
];

for (const kind of stores) {
  describe(`what is done by command and over HTTP, on ${kind.name}`, () => {
    let intake: Intake;
    let portal: { readonly id: string; readonly token: string };
    before(async () => {
      intake = await openIntake(kind);
      portal = await createOperatorToken(intake.operator, {
        name: 'portal',
        may: ['accounts', 'tokens', 'webhooks', 'audit'],
      });
      await byHttp(['POST', 'accounts', { id: 'above' }]);
      await byHttp(['POST', 'accounts', { id: 'below', parent_id: 'above' }]);
    });
    after(() => intake.close());

    const byCommand = (words: readonly string[]) =>
      runProgram([...words], {
        env: { LINECARD_DATABASE_URL: intake.database_url, LINECARD_SIGNING_KEY: KEY },
      });
    function byHttp([method, path, body]: Request, token = portal.token): Promise<Answered> {
      const text = body === undefined ? undefined : JSON.stringify(body);
      return intake.sendWith(method, path, text, {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : JSON_BODY),
      });
    }

    /** All that there is of an account, with its id as `ID`. */
    async function stateOf(id: string) {
      const rows = [
        ...(await selectIn(intake.operator, `${ACCOUNT}'${id}'`)),
        ...(await selectIn(intake.operator, `${TOKENS}'${id}' order by created_at`)),
      ];
      return JSON.stringify(rows).replaceAll(id, 'ID');
    }
    const entriesOf = (account_id: string) => readAudit(intake.operator, { account_id });
    async function newestOf(id: string): Promise<string> {
      const found = await selectIn(
        intake.operator,
        `select id from tokens where account_id = '${id}' order by created_at desc limit 1`,
      );
      return String(found[0]?.[0]);
    }

    test('has the same effects and entries', async () => {
      const [own, sent] = ['by-command', 'by-http'];
      for (const { does, words, request } of GOOD) {
        const ended = await byCommand(words(own, await newestOf(own)));
        assert.equal(ended.status, 0, `${does}: ${ended.err}`);
        const { status, text } = await byHttp(request(sent, await newestOf(sent)));
        assert.ok(status < 300, `${does}: ${text}`);
        assert.equal(await stateOf(sent), await stateOf(own), does);
        const [ofCommand, ofHttp] = [await entriesOf(own), await entriesOf(sent)];
        // Entries of the same time, of two tokens, are in any order.
        const shown = (entries: typeof ofHttp, id: string) =>
          entries
            .map(({ event, details }) => JSON.stringify([event, details]).replaceAll(id, 'ID'))
            .toSorted();
        assert.deepEqual(shown(ofHttp, sent), shown(ofCommand, own), does);
        assert.deepEqual(new Set(ofCommand.map(({ origin }) => origin)), new Set(['command']));
        assert.deepEqual(
          new Set(ofHttp.map(({ origin, actor }) => `${origin} ${actor}`)),
          new Set([`intake ${portal.id}`]),
        );
      }
    });

    test('shows the same of an account and of a token', async () => {
      const shown = await byCommand(['account', 'show', 'below', '--json']);
      assert.deepEqual(JSON.parse(shown.out), (await byHttp(['GET', 'accounts/below'])).json);
      const { json: made } = await byHttp(tokenOf({ name: 'shown' }));
      const token = await byCommand(['token', 'show', made.id, '--json']);
      const { json } = await byHttp(['GET', `tokens/${made.id}`]);
      assert.deepEqual(JSON.parse(token.out), json);
      const { token: text, ...rest } = made;
      assert.match(text, /^lc_\w{42}$/);
      assert.deepEqual(rest, json);
      const list = await byCommand(['token', 'list', '--account', 'above', '--json']);
      assert.deepEqual(JSON.parse(list.out), (await byHttp(['GET', 'tokens?account=above'])).json.data);
    });

    test('does the same to a webhook', async () => {
      const { id: own } = (await byHttp(webhookOf({ url: HOOK, name: 'own' }))).json;
      const { id: sent } = (await byHttp(webhookOf({ url: HOOK, name: 'sent' }))).json;
      const changed = ['--url', `${HOOK}/2`, '--events', 'added,removed', '--without-charges'];
      const change = { url: `${HOOK}/2`, events: ['added', 'removed'], charges: false };
      for (const [words, path, body] of [
        [['update', own, ...changed], '', change],
        [['pause', own], '/pause', undefined],
        [['enable', own], '/enable', undefined],
        [['rotate', own, '--overlap', '0m'], '/rotate', { overlap: '0m' }],
        [['replay', own, '--from', '12h'], '/replay', { from: '12h' }],
        [['skip', own], '/skip', undefined],
        [['show', own], '', undefined],
      ] as const) {
        const [word] = words;
        const ended = await byCommand(['webhook', ...words, '--json']);
        assert.equal(ended.status, 0, ended.err);
        const method = { show: 'GET', update: 'PATCH' }[word as string] ?? 'POST';
        const { status, json } = await byHttp([method, `webhooks/${sent}${path}`, body]);
        assert.equal(status, 200, word);
        const { id, name, created_at, secret, ...command } = JSON.parse(ended.out);
        const { id: _id, name: _name, created_at: _at, secret: other, ...http } = json;
        assert.deepEqual(command, http, word);
        assert.deepEqual([id, name, typeof created_at, typeof secret], [own, 'own', 'string', typeof other]);
      }
      const entries = (await entriesOf('above')).filter(({ event }) => event.startsWith('webhook'));
      const eventsOf = (webhook_id: string) =>
        entries.filter(({ details }) => details['webhook_id'] === webhook_id).map(({ event }) => event);
      assert.deepEqual(eventsOf(own), eventsOf(sent));
      assert.equal(eventsOf(own).length, 6);
      for (const id of [own, sent]) assert.equal((await byHttp(['DELETE', `webhooks/${id}`])).status, 204);
    });

    for (const { does, words, request, status, says } of BAD) {
      test(`fails alike and changes nothing: ${does.slice(0, 60)} (${words('', '').slice(0, 2).join(' ')})`, async () => {
        const everything = async () => [
          await selectIn(intake.operator, 'select * from accounts order by id'),
          await selectIn(intake.operator, 'select * from tokens order by id'),
          await readAudit(intake.operator, {}),
        ];
        const earlier = await everything();
        const ended = await byCommand(words('', ''));
        assert.ok(ended.status === 1 || ended.status === 2, ended.err);
        assert.ok(ended.err.includes(says), ended.err);
        const answer = await byHttp(request('', ''));
        assert.equal(answer.status, status, answer.text);
        assert.ok(String(answer.json.detail).includes(says), answer.text);
        assert.deepEqual(await everything(), earlier);
      });
    }
  });
}
