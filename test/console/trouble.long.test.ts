// What the customer's staff see of the console when something goes wrong: scripts that are gone, a service
// that is slow, refuses, or answers what is not its own.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { plural } from '../../console/format.ts';
import { texts } from '../../console/texts.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { complaints, rows, TOTAL, total } from '../kit/console-list.ts';
import { NUMBERS, PHONE, SERVICES, Visits, WIDE } from '../kit/console-visits.ts';
import { until } from '../kit/until.ts';

/** Tests at a time: each in a context of its own, and most of what one does is wait. */
const AT_ONCE = { concurrency: 3 };
const LIST = '**/did/me?*';
const ACCOUNT = '**/api/v1/account';
/** The rows that are shown, and neither what is counted nor the request that waits for news. */
const PAGE = /\/did\/me\?.*\bpage=1&/;
const FACETS = '**/did/me/facets*';
const words = texts.trouble;

/** What a proxy says whose service is gone. */
const badGateway = (route: Route) =>
  route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>502 Bad Gateway</h1>' });
const notThere = (route: Route) => route.fulfill({ status: 404, body: '' });
const silence = () => {};
/** The server answers immediately, and not when something has changed or 25 seconds have passed. */
const withoutWaiting = (route: Route) =>
  route.continue({ headers: { ...route.request().headers(), prefer: 'wait=0' } });
/** Counts, in the page, how often what is announced of a failure changes, comes or goes. */
const COUNT_CHANGES = `
  window.changes = 0;
  const seen = new MutationObserver(() => { window.changes += 1; });
  seen.observe(document.querySelector('.rows'), { childList: true });
  seen.observe(document.querySelector('.rows [role=alert]'), { childList: true, characterData: true, subtree: true });
`;

/** Scrolls to the end of what scrolls; where that is, from the top of the window. */
const AT_END = `(() => {
  for (const one of [document.scrollingElement, document.querySelector('#list')]) one.scrollTop = one.scrollHeight;
  return Math.ceil(document.querySelector('#list').lastElementChild.getBoundingClientRect().bottom);
})()`;
/** The texts of the page, scrolled to its end, that what is said of the service covers. */
const BELOW_NEWS = `(() => {
  ${AT_END};
  const box = document.querySelector('.news-box').getBoundingClientRect();
  const found = [];
  const texts = document.createTreeWalker(document.querySelector('#list'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (data.trim() === '' || parentElement.closest('.news, .hidden, .skip') !== null) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const isBelow = ({ left, right, top, bottom }) =>
      right - left > 1 && left < box.right && right > box.left && top < box.bottom && bottom > box.top;
    if ([...range.getClientRects()].some(isBelow)) found.push(data);
  }
  return found;
})()`;

describe('the console in trouble', { skip: process.env['CI'] === 'true' ? false : NO_BROWSER }, () => {
  let visits: Visits;
  before(async () => {
    visits = await Visits.start();
  });
  after(() => visits?.end());
  const visit: Visits['visit'] = (how, use) => visits.visit(how, use);

  const germany = (page: Page) => page.getByRole('checkbox', { name: /^Germany/ });
  test('nothing moves where nothing can be loaded, nor once that is said', async () => {
    const prepare = async (page: Page) => {
      await page.addInitScript(`globalThis.moved = [];
        new PerformanceObserver((list) => globalThis.moved.push(...list.getEntries().map(({ value }) => value)))
          .observe({ type: 'layout-shift', buffered: true });`);
      await page.route('**/api/**', (route) => route.abort());
    };
    for (const [path, width] of [
      ['/activity', 1280],
      ['/activity', 390],
      ['/', 1280],
      ['/', 390],
    ] as const)
      await visits.visit({ path, prepare, viewport: { width, height: 800 } }, async (page) => {
        await page.locator('.trouble').waitFor();
        assert.equal(await page.locator('.news-box').count(), 0, 'said twice');
        await page.evaluate(
          'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
        );
        const moved = await page.evaluate<number[]>('globalThis.moved');
        assert.ok(moved.reduce((sum, one) => sum + one, 0) < 0.001, `${path}, ${width} wide: ${moved}`);
      });
  });

  const palette = (page: Page) => page.getByRole('combobox', { name: texts.palette.label });

  describe('a script that cannot be loaded', AT_ONCE, () => {
    test('of the palette leaves the page as it is, and it opens once the script is there', async () => {
      const prepare = (page: Page) => page.route('**/assets/palette-*.js', notThere);
      await visit({ prepare }, async (page) => {
        await total(page, TOTAL);
        await page.keyboard.press('Control+k');
        await page.getByText(words.part).waitFor();
        await page.locator('.toast[data-bad] > .icon').waitFor();
        assert.equal(await rows(page).count(), 25);
        await page.unroute('**/assets/palette-*.js');
        await page.keyboard.press('Control+k');
        await palette(page).waitFor();
      });
    });

    test('of the details is loaded again when that is wanted', async () => {
      // Before the page loads it in advance.
      const prepare = (page: Page) => page.route('**/assets/details-*.js', notThere);
      await visit({ prepare }, async (page) => {
        await total(page, TOTAL);
        await page.locator('.row-link').first().click();
        await page.getByText(words.part).waitFor();
        await page.locator('.row-link').nth(1).click();
        await page.unroute('**/assets/details-*.js');
        await page.getByRole('button', { name: words.again }).click();
        await page.getByRole('dialog').getByText('Front desk, overflow').waitFor();
        assert.equal(await page.getByText(words.part).count(), 0);
      });
    });

    test('of the menus takes neither the list nor the account with it', async () => {
      const block = (page: Page) =>
        Promise.all(['menus', 'account-menu'].map((name) => page.route(`**/assets/${name}-*.js`, notThere)));
      await visit({ prepare: block }, async (page) => {
        await page.getByText(words.part).waitFor();
        await total(page, TOTAL);
        await page.unrouteAll();
        await page.getByRole('button', { name: words.again }).click();
        await page.getByRole('button', { name: texts.export.label, exact: true }).click();
        await page.getByRole('menuitem', { name: texts.export.csv }).waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: texts.menu }).click();
        await page.getByRole('menuitem', { name: texts.signOut }).waitFor();
      });
    });

    test('of the menus comes by itself once the service is found again', async () => {
      const block = async (page: Page) => {
        await page.route('**/assets/menus-*.js', notThere);
        await page.route('**/did/me?page_size=1', (route) => route.abort());
      };
      await visit({ prepare: block }, async (page) => {
        await page.getByText(words.part).waitFor();
        await page.getByRole('status').getByText(texts.live.away).waitFor();
        await page.unrouteAll();
        await page.route('**/did/me?page_size=1', withoutWaiting);
        await page.getByRole('button', { name: texts.export.label, exact: true }).click();
        await page.getByRole('menuitem', { name: texts.export.csv }).waitFor();
        assert.equal(await page.getByText(words.part).count(), 0);
      });
    });

    test('of a small control is missed in silence, and comes by itself once the service is found again', async () => {
      const prepare = async (page: Page) => {
        await page.route('**/assets/{pin-button,pinned}-*.js', notThere);
        await page.route('**/did/me?page_size=1', (route) => route.abort());
      };
      await visit({ path: `${NUMBERS}?country_codes=DE`, prepare }, async (page) => {
        await total(page, 16);
        await page.getByRole('status').getByText(texts.live.away).waitFor();
        assert.equal(await page.getByText(words.part).count(), 0);
        await page.unrouteAll();
        await page.route('**/did/me?page_size=1', withoutWaiting);
        await page.getByRole('button', { name: texts.pins.pin, exact: true }).waitFor();
      });
    });

    test('comes with the whole page where that is loaded again', async () => {
      const prepare = (page: Page) => page.route('**/assets/palette-*.js', notThere);
      await visit({ prepare }, async (page) => {
        await total(page, TOTAL);
        await page.keyboard.press('Control+k');
        await page.getByRole('button', { name: words.reload }).click();
        await total(page, TOTAL);
        assert.equal(await page.getByText(words.part).count(), 0);
      });
    });
  });

  describe('an answer that is none', AT_ONCE, () => {
    test('stays on the page until there is one, and is announced once', async () => {
      await visit({}, async (page) => {
        await total(page, TOTAL);
        let tries = 0;
        await page.route(PAGE, (route) => {
          tries += 1;
          return badGateway(route);
        });
        await germany(page).check();
        await page.getByText(words.sentences.unavailable).waitFor();
        await page.evaluate(COUNT_CHANGES);
        await page.getByRole('button', { name: words.again }).focus();
        const before = tries;
        await page.keyboard.press('Enter');
        while (tries < before + 3) await page.waitForResponse(PAGE);
        assert.equal(await page.evaluate('window.changes'), 0);
        assert.equal(await page.evaluate('document.activeElement.textContent'), words.again);
        assert.equal(await rows(page).count(), 0);
        await page.unroute(PAGE);
        await total(page, 16);
      });
    });

    test('of the list at a glance is said there, and comes when it can', async () => {
      await visit({ prepare: (page) => page.route(FACETS, badGateway) }, async (page) => {
        await total(page, TOTAL);
        await page.getByText(texts.glance.failed).waitFor();
        await page.getByText(texts.filters.failed).first().waitFor();
        assert.equal(await page.locator('.bone').count(), 0);
        await page.unroute(FACETS);
        await germany(page).waitFor();
        assert.equal(await page.getByText(texts.glance.failed).count(), 0);
      });
    });

    test('about the account leaves a dash where the tabs have counts, and no gap', async () => {
      await visit({ path: '/', prepare: (page) => page.route(ACCOUNT, badGateway) }, async (page) => {
        await page.locator('.trouble').waitFor();
        assert.deepEqual(await page.locator('.tab-count').allInnerTexts(), [texts.empty, texts.empty]);
        await page.unroute(ACCOUNT);
        await page.locator('.tab-count').getByText(String(TOTAL), { exact: true }).waitFor();
      });
    });

    test('of the overview that takes long keeps the place of its panels', async () => {
      const { promise: isFree, resolve: release } = Promise.withResolvers<void>();
      const prepare = (page: Page) =>
        page.route(FACETS, async (route) => {
          await isFree;
          await route.continue();
        });
      const places = `['timeline', 'months', 'price'].map(
        (name) => document.querySelector('.panel-' + name).getBoundingClientRect().top)`;
      await visit({ path: '/', prepare }, async (page) => {
        const sizes = [1440, 1024, 390].map((width) => ({ width, height: 844 }));
        const soon: number[] = [];
        for (const size of sizes) {
          await page.setViewportSize(size);
          soon.push(...(await page.evaluate<number[]>(places)));
        }
        release();
        await page.locator('.overview-sentence').waitFor();
        const shown: number[] = [];
        for (const size of sizes) {
          await page.setViewportSize(size);
          shown.push(...(await page.evaluate<number[]>(places)));
        }
        const moves = soon.map((top, i) => Math.round(Math.abs(top - (shown[i] ?? 0))));
        // A language has two lines of a phone more or less than another.
        assert.ok(Math.max(...moves) <= 40, `${soon} to ${shown}`);
      });
    });

    test('because the service is slow is said after a while, and not tried three times', async () => {
      await visit({ prepare: (page) => page.clock.install() }, async (page) => {
        await total(page, TOTAL);
        let tries = 0;
        await page.route(PAGE, () => {
          tries += 1;
        });
        await Promise.all([page.waitForRequest(PAGE), germany(page).check()]);
        assert.equal(await page.getByRole('status').filter({ hasText: texts.live.slow }).count(), 0);
        await page.clock.fastForward(6_000);
        await page.getByRole('status').getByText(texts.live.slow).waitFor();
        await page.clock.fastForward(25_000);
        await page.getByText(words.sentences.timeout).waitFor();
        assert.equal(tries, 1);
      });
    });

    test('to a request for one item is said to take long, and then to have failed', async () => {
      const hold = async (page: Page) => {
        await page.clock.install();
        await page.route('**/did/me?ids=*', silence);
      };
      await visit({ path: `${NUMBERS}/999999`, prepare: hold }, async (page) => {
        const panel = page.getByRole('dialog');
        await panel.locator('.bone').first().waitFor();
        await page.clock.fastForward(6_000);
        await panel.getByText(texts.live.slow).waitFor();
        await page.clock.fastForward(25_000);
        await panel.getByText(words.sentences.timeout).waitFor();
      });
    });

    test('to the request that waits for news says that there is no connection', async () => {
      await visit({ prepare: (page) => page.clock.install() }, async (page) => {
        await total(page, TOTAL);
        // It is there, without a word: what comes into it is announced.
        assert.equal(await page.getByRole('status').and(page.locator('.news')).count(), 1);
        await page.route('**/did/me?page_size=1', silence);
        await page.reload();
        await total(page, TOTAL);
        await page.clock.fastForward(36_000);
        await page.getByRole('status').getByText(texts.live.away).waitFor();
      });
    });

    test('to the request that waits for news says what it is where the service fails', async () => {
      const fails = (route: Route) =>
        route.fulfill({
          status: 500,
          contentType: 'application/problem+json',
          body: JSON.stringify({ title: 'Internal error', status: 500, code: 'internal' }),
        });
      await visit({ prepare: (page) => page.route(/[?]page_size=1$/, fails) }, async (page) => {
        await total(page, TOTAL);
        const said = page.getByRole('status').getByText(words.sentences.internal);
        await said.waitFor();
        assert.equal(await page.getByText(texts.live.away).count(), 0);
        // All of it is read at once.
        const isSo = (what: string) =>
          until(what, () =>
            page.evaluate<boolean>(`(() => {
            const at = (selector) => document.querySelector(selector)?.getBoundingClientRect();
            const colour = (selector) => getComputedStyle(document.querySelector(selector)).color;
            const box = at('.news-box');
            return box !== undefined && ${what};
          })()`),
          );
        await page.locator('.flagged').first().waitFor();
        await isSo(`colour('.news-box') === colour('.flagged')`);
        await isSo(`box.bottom < at('.pager').top && box.bottom > at('.pager').top - 12`);
        await page.goto(visits.server.origin);
        await isSo(`box.bottom > innerHeight - 12`);
      });
    });

    test('to the request that waits for news is said above no text at the end of any page', async () => {
      const paths = ['', '/ranges', '/compare-country_codes', '?country_codes=DE'].map(
        (end) => NUMBERS + end,
      );
      const fails = (page: Page) => page.route(/[?]page_size=1$/, badGateway);
      const missed: string[] = [];
      for (const viewport of [WIDE, PHONE])
        await visit({ viewport, prepare: fails }, async (page) => {
          for (const path of [...paths, SERVICES, '/', '/activity', '/notifications']) {
            await page.setViewportSize(viewport);
            await page.goto(visits.server.origin + path);
            await page.locator('.news-box').waitFor();
            await page.locator('#list .bone').first().waitFor({ state: 'detached' });
            // Also where the page ends just below or above the edge of the window.
            const end = await page.evaluate<number>(AT_END);
            for (const height of [viewport.height, end + 10, end - 20]) {
              await page.setViewportSize({ ...viewport, height: Math.max(400, height) });
              const below = await page.evaluate<string[]>(BELOW_NEWS);
              if (below.length > 0) missed.push(`${path}, ${viewport.width}×${height}: ${below}`);
            }
          }
        });
      assert.deepEqual(missed, []);
    });

    test('to a filter shows no figures of the view before, however often it is tried again', async () => {
      await visit({}, async (page) => {
        await total(page, TOTAL);
        await page.locator('.figure').waitFor();
        const { promise: isTried, resolve: tried } = Promise.withResolvers<void>();
        let attempts = 0;
        await page.route(/did\/me.*country_codes=DE/, (route) => {
          attempts += 1;
          if (attempts > 12) tried();
          return route.abort();
        });
        await germany(page).check();
        await page.getByRole('alert').filter({ hasText: words.sentences.network }).first().waitFor();
        await page.locator('.panel-failed').waitFor();
        await page.evaluate(`
          window.figures = [];
          new MutationObserver(() => {
            const of = document.querySelectorAll('.chips-total, .figure, .pager-range');
            if (of.length > 0) window.figures.push([...of].map((one) => one.textContent).join());
          }).observe(document.body, { childList: true, subtree: true, characterData: true })`);
        await isTried;
        assert.deepEqual(await page.evaluate('window.figures'), []);
        // The values can still be chosen, without the counts of the view before.
        assert.equal(await germany(page).isChecked(), true);
        assert.equal(await page.locator('.facet-value .count:visible').count(), 0);
        assert.deepEqual(await complaints(page), []);
      });
    });

    test('is forgotten as soon as rows load, however long the next request for news would wait', async () => {
      const news = '**/did/me?page_size=1';
      const gone = (route: Route) =>
        route.fulfill({ status: 503, headers: { 'retry-after': '600' }, body: '' });
      await visit({ prepare: (page) => page.route(news, gone) }, async (page) => {
        await page.getByRole('status').getByText(words.sentences.unavailable).waitFor();
        await total(page, TOTAL);
        await page.unroute(news);
        await germany(page).check();
        await total(page, 16);
        await page.getByText(words.sentences.unavailable).waitFor({ state: 'detached' });
      });
    });

    test('to a token is said where one signs in', async () => {
      await visit({ token: '', prepare: (page) => page.clock.install() }, async (page) => {
        const field = page.getByLabel(texts.signIn.token, { exact: true });
        await page.route(ACCOUNT, silence);
        await field.fill(visits.token);
        await Promise.all([page.waitForRequest(ACCOUNT), page.keyboard.press('Enter')]);
        await page.clock.fastForward(16_000);
        const alert = page.getByRole('alert');
        await alert.filter({ hasText: `${words.sentences.timeout} ${words.later}` }).waitFor();
        assert.equal(await field.getAttribute('aria-invalid'), 'false');
        await page.unroute(ACCOUNT);
        await page.route(ACCOUNT, badGateway);
        await page.keyboard.press('Enter');
        await alert.filter({ hasText: `${words.sentences.unavailable} ${words.later}` }).waitFor();
        await page.unroute(ACCOUNT);
        await page.keyboard.press('Enter');
        await total(page, TOTAL);
      });
    });

    test('to an export says what to do', async () => {
      await visit({ path: `${NUMBERS}?country_codes=DE` }, async (page) => {
        await total(page, 16);
        await page.route(LIST, badGateway);
        await page.getByRole('button', { name: texts.export.label, exact: true }).click();
        await page.getByRole('menuitem', { name: texts.export.csv }).click();
        await page.getByText(`${words.sentences.unavailable} ${words.later}`).waitFor();
      });
    });

    test('because there were too many requests counts down the seconds', async () => {
      const tooMany = (route: Route) =>
        route.fulfill({ status: 429, headers: { 'retry-after': '30' }, body: '' });
      await visit({ prepare: (page) => page.clock.install() }, async (page) => {
        await total(page, TOTAL);
        await page.route(LIST, tooMany);
        await germany(page).check();
        await page.getByText(words.sentences['rate-limited']).waitFor();
        await page.clock.runFor(28_000);
        await page.getByText(plural(words.inSeconds, 1)).waitFor();
        assert.match(plural(words.inSeconds, 1), / 1\ssecond\./);
        assert.match(plural(words.inSeconds, 2), / 2\sseconds\./);
      });
    });

    test('because the service cannot be reached names no request that nobody would find', async () => {
      await visit({}, async (page) => {
        await total(page, TOTAL);
        await page.route(LIST, (route) => route.abort());
        await germany(page).check();
        await page.getByText(words.sentences.network).waitFor();
        assert.equal(await page.getByText(words.request).count(), 0);
      });
    });

    test('with one value that cannot be shown shows all the others', async () => {
      const odd = (page: Page) =>
        page.route(PAGE, async (route) => {
          const response = await route.fetch();
          const answer = await response.json();
          Object.assign(answer.data[0], { comment: { toString: 1 }, next_payment_at: { valueOf: 'x' } });
          await route.fulfill({ response, json: answer });
        });
      await visit({ prepare: odd }, async (page) => {
        await total(page, TOTAL);
        await rows(page).first().getByText('{"toString":1}').waitFor();
        assert.equal(await rows(page).count(), 25);
        await rows(page).first().getByRole('link').click();
        await page.getByRole('dialog').getByText('{"toString":1}').first().waitFor();
      });
    });

    test('with marks that turn text around shows the text as it was typed', async () => {
      const turned = (page: Page) =>
        page.route(PAGE, async (route) => {
          const response = await route.fetch();
          const answer = await response.json();
          Object.assign(answer.data[0], { comment: '\u202Egnp.exe', provider: 'a\u2067b' });
          await route.fulfill({ response, json: answer });
        });
      await visit({ path: `${NUMBERS}?fields=did,comment,provider`, prepare: turned }, async (page) => {
        await total(page, TOTAL);
        await rows(page).first().getByText('gnp.exe', { exact: true }).waitFor();
        assert.doesNotMatch(String(await rows(page).first().textContent()), /[\u202a-\u202e\u2066-\u2069]/);
      });
    });

    test('that the page cannot draw is a fault of its own, with a way out', async () => {
      // An answer of the right shape, with a currency that no browser knows how to write.
      const odd = (page: Page) =>
        page.route(FACETS, async (route) => {
          const response = await route.fetch();
          await route.fulfill({ response, json: { ...(await response.json()), currency: 'E' } });
        });
      await visit({ token: '' }, async (page) => {
        await odd(page);
        await page.getByLabel(texts.signIn.token, { exact: true }).fill(visits.token);
        await page.keyboard.press('Enter');
        await page.getByText(words.sentences.fault).waitFor();
        await page.unrouteAll();
        await page.getByRole('button', { name: words.reload }).click();
        await total(page, TOTAL);
      });
    });
  });

  describe('an address', AT_ONCE, () => {
    test('with several mistakes names each of them, and the tab says that it did not work', async () => {
      await visit({ path: `${NUMBERS}?status=active&page=0` }, async (page) => {
        await page.getByText('Did you mean `statuses`?').waitFor();
        await page.getByText(/^page must be/).waitFor();
        assert.equal(await page.getByText('`errors`').count(), 0);
        assert.equal(await page.title(), `${words.title} · ${texts.product}`);
      });
    });

    test('of an item that cannot be is reported as one that is not there', async () => {
      await visit({ path: `${NUMBERS}/abc` }, async (page) => {
        await page.getByText(words.noItem('virtual number', 'abc')).waitFor();
        assert.equal(await page.getByRole('button', { name: words.again }).count(), 0);
        await page.goto(`${visits.server.origin}${NUMBERS}/999999`);
        await page.getByText(words.noItem('virtual number', '999999')).waitFor();
        assert.equal(await page.getByRole('button', { name: words.again }).count(), 0);
      });
    });

    test('of an item with the largest id that there is shows it', async () => {
      const id = Number.MAX_SAFE_INTEGER;
      await visits.server.import('large', [{ id, did: '+442079469999' }]);
      const { token } = await visits.server.token('large');
      await visit({ token }, async (page) => {
        await page.locator('.row-link').click();
        await page.getByRole('dialog').getByText(String(id)).waitFor();
        await page.reload();
        await page.getByRole('dialog').getByText(String(id)).waitFor();
      });
    });

    test('with a column that does not exist is reported like any other mistake', async () => {
      await visit({ path: `${NUMBERS}?fields=did&fields=comentt` }, async (page) => {
        await page.getByText(/did you mean `comment`\?/).waitFor();
        await page.getByRole('link', { name: words.start }).click();
        await total(page, TOTAL);
      });
    });
  });

  describe('a service that stops', () => {
    test('too many requests are reported, a server that is down is reported, and it is found again', async () => {
      await visit({}, async (page) => {
        await total(page, TOTAL);
        await visits.server.stop();
        await visits.server.go(['--rate-limit', '1']);
        const spent = await fetch(`${visits.server.origin}/api/v1/did/me`, {
          headers: { authorization: visits.token },
        });
        assert.ok([200, 429].includes(spent.status));
        await page.getByRole('checkbox', { name: /^Germany/ }).check();
        await page.getByText(texts.trouble.sentences['rate-limited']).waitFor();
        await visits.server.stop();
        await page.getByRole('button', { name: texts.trouble.again }).click();
        await page.getByText(texts.trouble.sentences.network).waitFor();
        await visits.server.go();
        await total(page, 16);
      });
    });
  });
});
