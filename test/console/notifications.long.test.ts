// What the console says of webhooks: whether each works, what was sent, and what to do where nothing is.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Webhook } from '../../api/contract/webhooks.ts';
import { texts } from '../../console/texts.ts';
import { eventLabel } from '../../console/words.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { Visits } from '../kit/console-visits.ts';
import { SMALL_FIRM } from '../kit/demo-server.ts';

/** Tests at a time: each in a context of its own, and most of what one does is wait. */
const AT_ONCE = { concurrency: 3 };
const PATH = '/notifications';
const API = '**/api/v1/webhooks';
const WIDTHS = [320, 390, 768, 1280, 1920];
const words = texts.notifications;

const attempt = {
  at: '2026-11-21T03:12:47.190000Z',
  message_id: 'msg_3mPzV0qk8WbT1c',
  type: 'virtual_numbers.spam_flagged',
  status: 204,
  fault: null,
  ms: 1_120,
  next_at: null,
} satisfies Webhook['attempts'][number];
const webhook: Webhook = {
  id: 'one',
  name: '',
  url: 'https://crm.example.com',
  format: 'json',
  lists: ['virtual_numbers'],
  events: ['spam_flagged', 'payments_due'],
  fields: null,
  charges: true,
  status: 'active',
  reason: null,
  created_at: attempt.at,
  succeeded_at: attempt.at,
  failing_since: null,
  next_at: null,
  attempts: [attempt],
};
const refused = {
  ...attempt,
  message_id: 'msg_2',
  status: null,
  fault: 'connect ECONNREFUSED',
  next_at: attempt.at,
};

describe('webhooks in the console', {
  skip: process.env['CI'] === 'true' ? false : NO_BROWSER,
}, () => {
  let visits: Visits;
  let emptyToken: string;
  const key = randomBytes(32).toString('base64');
  const command = (...given: readonly string[]) =>
    visits.server.command('webhook', ...given, '--signing-key', key);
  before(async () => {
    visits = await Visits.start();
    await visits.server.import('silent', [{ id: 940_001, did: '+442079460018' }]);
    ({ token: emptyToken } = await visits.server.token('silent'));
  });
  after(() => visits?.end());

  const endpoint = (page: Page, name: string) =>
    page.locator('.endpoint').filter({ has: page.getByRole('heading', { name }) });
  const answer = (page: Page, data: readonly Webhook[]) =>
    page.route(API, (route) => route.fulfill({ json: { data } }));

  describe('are shown', AT_ONCE, () => {
    test('with the last few attempts, and all of one where that is wanted', () =>
      visits.visit({ path: '/' }, async (page) => {
        const attempts = Array.from({ length: 7 }, (_, n) => ({ ...attempt, message_id: `msg_${n}` }));
        await answer(page, [{ ...webhook, attempts: attempts.slice(0, 3) }]);
        await page.route(`${API}/one`, (route) => route.fulfill({ json: { ...webhook, attempts } }));
        await page.goto(new URL(PATH, page.url()).href);
        const shown = page.locator('.attempts > li');
        await shown.nth(2).waitFor();
        assert.equal(await shown.count(), 3);
        await page.getByRole('button', { name: words.allAttempts }).click();
        await shown.nth(6).waitFor();
        assert.equal(await page.getByRole('button', { name: words.allAttempts }).count(), 0);
      }));

    test('with what is sent to them, in the menu of the account; a change is seen', () =>
      visits.visit({ path: '/' }, async (page) => {
        await page.getByRole('button', { name: texts.menu }).click();
        await page.getByRole('menuitem', { name: words.title }).click();
        await page.getByRole('heading', { name: words.none }).waitFor();
        const url = 'https://crm.example.com/hook/secret?key=secret';
        const events = ['--events', 'spam_flagged,spam_cleared'];
        await command('create', '--account', SMALL_FIRM, '--url', url, '--name', 'CRM', ...events);
        const crm = endpoint(page, 'CRM');
        await crm.getByText('crm.example.com', { exact: true }).waitFor();
        await crm.getByText(words.states.active, { exact: true }).waitFor();
        await crm.getByText(words.noAttempts).waitFor();
        for (const event of ['spam_flagged', 'spam_cleared'])
          await crm.getByText(eventLabel(event)).waitFor();
        assert.equal((await page.locator('body').textContent())?.includes('secret'), false);
        const { out } = await visits.server.command('webhook', 'list', '--json');
        const [{ id = '' } = {}] = JSON.parse(out) as { id?: string }[];
        await visits.server.command('webhook', 'pause', id);
        await crm.getByText(words.states.paused, { exact: true }).waitFor();
        await crm.getByText(`${words.reasons.paused} ${words.ask}`).waitFor();
      }));

    test('with their health, the last attempts, and what to do', () =>
      visits.visit(
        {
          path: PATH,
          prepare: (page) =>
            answer(page, [
              webhook,
              {
                ...webhook,
                id: 'two',
                name: 'Dialler',
                failing_since: attempt.at,
                attempts: [refused, attempt],
              },
              {
                ...webhook,
                id: 'three',
                name: 'Old',
                status: 'disabled',
                reason: 'gone',
                succeeded_at: null,
              },
              { ...webhook, id: 'five', name: 'Resting', status: 'paused' },
              { ...webhook, id: 'six', name: 'Restored', status: 'paused', reason: 'restored' },
              { ...webhook, id: 'four', name: 'New', status: 'resting', reason: 'unheard_of', attempts: [] },
            ]),
        },
        async (page) => {
          const works = endpoint(page, 'crm.example.com');
          await works.getByText(words.states.active, { exact: true }).waitFor();
          await works.locator('.attempts').getByText('204').waitFor();
          await works.locator('.attempts').getByText(words.took('1,120')).waitFor();
          const fails = endpoint(page, 'Dialler');
          await fails.getByText(words.failing, { exact: true }).waitFor();
          await fails.getByText(words.retried).waitFor();
          await fails.getByText(refused.fault).waitFor();
          await fails.getByText(words.next('21 Nov 2026, 04:12')).waitFor();
          const gone = endpoint(page, 'Old');
          await gone.getByText(words.states.disabled, { exact: true }).waitFor();
          await gone.getByText(`${words.reasons.gone} ${words.ask}`).waitFor();
          await endpoint(page, 'New').getByText(words.ask).waitFor();
          for (const [name, tone] of Object.entries({ Old: 'bad', Resting: 'plain', Restored: 'wait' }))
            assert.equal(await endpoint(page, name).locator(`.pill[data-tone=${tone}]`).first().count(), 1);
          for (const width of WIDTHS) {
            await page.setViewportSize({ width, height: 800 });
            const cut = `[...document.querySelectorAll('.attempts .pill')]
              .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)`;
            assert.deepEqual(await page.evaluate(cut), [], `at ${width}`);
            assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
          }
        },
      ));

    test('as none where there is none, with where the reference says more', () =>
      visits.visit({ path: PATH, token: emptyToken }, async (page) => {
        await page.getByText(words.noneHint).waitFor();
        assert.doesNotMatch((await page.locator('main > p').textContent()) ?? '', /address/);
        const current = page.locator('.tab[aria-current]');
        assert.equal(await current.textContent(), texts.activity.title);
        assert.equal(await current.getAttribute('aria-current'), 'true');
        await page.getByRole('link', { name: words.howTo }).click();
        await page.getByRole('heading', { name: 'Webhooks' }).first().waitFor();
        assert.equal(new URL(page.url()).hash, '#webhooks');
      }));

    test('once they can be: until then the page says why they are not', () =>
      visits.visit(
        { path: PATH, prepare: (page) => page.route(API, (route) => route.fulfill({ status: 503 })) },
        async (page) => {
          await page.getByText(texts.trouble.sentences.unavailable).waitFor();
          const gap = await page.evaluate<number>(
            `document.querySelector('.trouble').getBoundingClientRect().top -
              document.querySelector('main > p').getBoundingClientRect().bottom`,
          );
          assert.equal(gap, 16);
          await page.unroute(API);
          await page.locator('.endpoint, .empty').first().waitFor();
        },
      ));
  });
});
