// Firefox shows every page of the console, and the reference, as Chromium does: with sample data, without an
// error, and without a request that fails. The same holds where it blocks cookies, and with them all storage.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { texts } from '../../console/texts.ts';
import { fieldLabel } from '../../console/words.ts';
import { TOTAL } from '../kit/console-list.ts';
import { NUMBERS, SERVICES } from '../kit/console-visits.ts';
import { DemoServer, SMALL_FIRM } from '../kit/demo-server.ts';
import { Firefox, NO_FIREFOX } from '../kit/firefox.ts';
import { until } from '../kit/until.ts';

type Step = readonly [act: 'shows' | 'click', selector: string, text?: string];

/** Each page, and what is done there. */
const PAGES: readonly (readonly [what: string, path: string, ...steps: readonly Step[]])[] = [
  [
    'the overview',
    '/',
    ['shows', '.overview-sentence'],
    ['shows', '.panel-timeline svg, .panel-timeline button'],
  ],
  [
    'virtual numbers',
    NUMBERS,
    ['shows', '.row-link'],
    ['shows', '.pager-range', ` of ${TOTAL}`],
    ['shows', '.part-line'],
  ],
  [
    'the details of a number',
    NUMBERS,
    ['click', '.row-link'],
    ['shows', '[role=dialog] .field'],
    ['shows', '.history-place'],
  ],
  [
    'a calendar',
    NUMBERS,
    ['click', `[aria-label="${texts.filters.calendar(fieldLabel('next_payment_at'))}"]`],
    ['shows', '.sidebar td button'],
  ],
  [
    'the kinds of exports',
    NUMBERS,
    ['click', '.export-button:not([inert])'],
    ['shows', '[role=menuitem]', texts.export.xlsx],
  ],
  [
    'the check of a file',
    NUMBERS,
    ['click', '.toolbar button:not([inert])', texts.check.label],
    ['shows', '.check textarea'],
  ],
  [
    'the palette',
    NUMBERS,
    ['click', '.palette-button'],
    ['shows', '.palette-input:focus'],
    ['shows', '.palette-entry'],
  ],
  [
    'the account menu',
    NUMBERS,
    ['click', '.account-button:not([inert])'],
    ['shows', '[role=menuitem]', texts.signOut],
  ],
  ['ranges', `${NUMBERS}/ranges`, ['shows', '.compare .row-link']],
  ['a comparison', `${NUMBERS}/compare-providers`, ['shows', '.compare-figure']],
  ['additional services', SERVICES, ['shows', '.row-link']],
  ['activity', '/activity', ['shows', '#list', texts.activity.title]],
  ['notifications', '/notifications', ['shows', 'h1', texts.notifications.title]],
  ['the reference', '/docs', ['shows', 'h1'], ['shows', 'h2']],
];

describe('Firefox', { skip: process.env['CI'] === 'true' ? false : NO_FIREFOX }, () => {
  let server: DemoServer;
  let firefox: Firefox;
  let token: string;
  let treeToken: string;
  before(async () => {
    [server, firefox] = await Promise.all([DemoServer.open('--rate-limit', '0'), Firefox.start()]);
    token = await server.sampleToken(SMALL_FIRM);
    ({ token: treeToken } = await server.token(SMALL_FIRM, '--reach', 'tree'));
  });
  after(async () => {
    await firefox?.close();
    await server?.remove();
  });

  async function look(url: string, steps: readonly Step[]): Promise<void> {
    await firefox.open(url);
    for (const [act, ...how] of steps) await firefox[act](...how);
    assert.deepEqual(firefox.wrong, []);
  }

  test('is heard: errors of a page, and requests that fail', async () => {
    await firefox.open(server.origin);
    await firefox.evaluate(`{
      setTimeout(() => { throw new Error('thrown'); });
      console.error('logged');
      fetch('/nowhere');
      undefined;
    }`);
    const isHeard = (what: string) => firefox.wrong.some((one) => one.includes(what));
    for (const what of ['thrown', 'logged', '/nowhere: 404']) await until(what, () => isHeard(what));
  });

  for (const storage of ['with storage', 'with cookies blocked'] as const)
    describe(storage, () => {
      if (storage !== 'with storage')
        before(async () => {
          await firefox.blockCookies();
          await firefox.open(server.origin);
          await assert.rejects(firefox.evaluate('localStorage.length'), /insecure/);
        });

      test('signs in with a token that is typed', async () => {
        await look(server.origin + SERVICES, [['shows', '[name=token]:focus']]);
        await firefox.type(token);
        await firefox.shows('.row-link');
        assert.deepEqual(firefox.wrong, []);
      });

      for (const [what, path, ...steps] of PAGES)
        test(`shows ${what}`, () => look(`${server.origin}${path}#token=${token}`, steps));

      test('shows the accounts below', () =>
        look(`${server.origin}${NUMBERS}#token=${treeToken}`, [
          ['click', '.account-chooser'],
          ['shows', '.chooser-total'],
        ]));
    });
});
