// Sign-in links in a real browser: the token is in no address and no log, a link that is not valid leads to
// signing in, and the page of a portal may frame the console.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { texts } from '../../console/texts.ts';
import { NO_BROWSER, openBrowser } from '../kit/browser.ts';
import { TOTAL, total } from '../kit/console-list.ts';
import { NUMBERS, PHONE, SERVICES, TOKEN_KEY } from '../kit/console-visits.ts';
import { DemoServer, SMALL_FIRM } from '../kit/demo-server.ts';
import { until } from '../kit/until.ts';

const GERMAN = 16;
/** What they are called. */
const [FIRM, SHOP] = ['Pennywharf Dental', 'Corner Shop'];
const PATIENCE_MS = 30_000;

/** A portal whose pages frame the address that their query names. */
async function openPortal(): Promise<{ readonly server: Server; readonly origin: string }> {
  const server = createServer(({ url = '' }, response) => {
    const framed = new URL(url, 'http://portal').searchParams.get('framed') ?? '';
    response.setHeader('content-type', 'text/html');
    response.end(`<iframe title="numbers" width="1200" height="800" src="${framed}"></iframe>`);
  }).listen(0);
  await once(server, 'listening');
  return { server, origin: `http://localhost:${(server.address() as AddressInfo).port}` };
}

describe('a sign-in link', { skip: process.env['CI'] === 'true' ? false : NO_BROWSER }, () => {
  let server: DemoServer;
  let browser: Browser;
  let portals: Awaited<ReturnType<typeof openPortal>>[];
  before(async () => {
    portals = await Promise.all([openPortal(), openPortal()]);
    const named = ['--frame-ancestors', portals[0]?.origin ?? ''];
    [server, browser] = await Promise.all([
      DemoServer.open('--rate-limit', '0', '--log-level', 'info', ...named),
      openBrowser(),
    ]);
  });
  after(async () => {
    await browser?.close();
    await server?.remove();
    for (const { server: one } of portals) one.close();
  });

  const signInLink = async (path: string, ...options: string[]) => {
    const { token } = await server.token(
      SMALL_FIRM,
      '--name',
      'Ada at portal',
      '--expires-in',
      '2h',
      ...options,
    );
    return { token, url: `${server.origin}${path}#token=${token}` };
  };

  async function withPage(
    use: (page: Page, context: BrowserContext) => Promise<void>,
    locale = 'en-GB',
  ): Promise<void> {
    const context = await browser.newContext({ locale, timezoneId: 'UTC' });
    context.setDefaultTimeout(PATIENCE_MS);
    try {
      await use(await context.newPage(), context);
    } finally {
      await context.close();
    }
  }

  /** Every address of the history of a page. */
  async function historyOf(page: Page, context: BrowserContext): Promise<string[]> {
    const session = await context.newCDPSession(page);
    const { entries } = await session.send('Page.getNavigationHistory');
    return entries.map(({ url }) => url);
  }

  test('shows its view, and leaves its token in no address, request line or log', async () => {
    const { token, url } = await signInLink(`${NUMBERS}?country_codes=DE`);
    await withPage(async (page, context) => {
      const lines: string[] = [];
      context.on('request', (request) => lines.push(request.url(), request.headers()['referer'] ?? ''));
      await page.goto(`${server.origin}/docs`);
      await page.goto(url);
      await total(page, GERMAN);
      const shown = `${server.origin}${NUMBERS}?country_codes=DE`;
      assert.equal(await page.evaluate('document.URL'), shown);
      await page.getByRole('link', { name: 'Additional services' }).click();
      await page.waitForURL(`**${SERVICES}`);
      await page.goBack();
      await total(page, GERMAN);
      assert.equal(await page.evaluate('document.URL'), shown);
      assert.deepEqual(await historyOf(page, context), [
        'about:blank',
        `${server.origin}/docs`,
        shown,
        server.origin + SERVICES,
      ]);
      await page.reload();
      await total(page, GERMAN);
      const isTokenIn = (text: string) => text.includes(token) || text.includes('#token');
      assert.ok(lines.length > 0);
      assert.deepEqual(lines.filter(isTokenIn), []);
      assert.match(server.said, /country_codes=DE/);
      // Its sample accounts are greeted with a link of their own.
      assert.equal(server.said.includes(token), false);
    });
  });

  test('loses its token before anything is requested, such as the texts of another language', async () => {
    const { token, url } = await signInLink(`${NUMBERS}?country_codes=DE`);
    await withPage(async (page) => {
      const { promise: isRequested, resolve: requested } = Promise.withResolvers<void>();
      const { promise: isFree, resolve: release } = Promise.withResolvers<void>();
      await page.route('**/assets/de-*.js', async (route) => {
        requested();
        await isFree;
        await route.continue();
      });
      const going = page.goto(url, { waitUntil: 'commit' });
      await isRequested;
      const shown = await page.evaluate<string>('document.URL');
      release();
      await going;
      assert.equal(shown, `${server.origin}${NUMBERS}?country_codes=DE`);
      await page
        .locator('.pager-range')
        .filter({ hasText: `${GERMAN}` })
        .waitFor();
      assert.equal((await page.evaluate<string>('document.URL')).includes(token), false);
    }, 'de-DE');
  });

  test('says who signed in and until when, and is good in a new tab', async () => {
    const { url } = await signInLink(NUMBERS);
    await withPage(async (page, context) => {
      await page.goto(url);
      await total(page, TOTAL);
      const other = await context.newPage();
      await other.goto(server.origin + SERVICES);
      await other.locator('.row-link').first().waitFor();
      for (const one of [page, other]) {
        await one.getByRole('button', { name: texts.menu }).click();
        await one.getByText(/^Signed in by Ada at portal until (?:.+, )?\d\d:\d\d$/).waitFor();
      }
    });
  });

  test('leaves its token in no address, wherever in the fragment it is', async () => {
    const { token } = await signInLink(NUMBERS);
    const shown = server.origin + NUMBERS;
    for (const fragment of [
      `x=1&token=${token}`,
      `token=${token}&x=1`,
      `/a?TOKEN=${token}`,
      `%74oken%3D${token}`,
    ])
      await withPage(async (page, context) => {
        await page.goto(`${shown}#${fragment}`);
        await total(page, TOTAL);
        assert.deepEqual(await historyOf(page, context), ['about:blank', shown], fragment);
      });
    await withPage(async (page, context) => {
      await page.goto(`${shown}#access_token=${token}`);
      await page.getByLabel(texts.signIn.token, { exact: true }).waitFor();
      assert.deepEqual(await historyOf(page, context), ['about:blank', shown]);
    });
  });

  test('that is not valid leads to signing in, and then to its view', async () => {
    const { token } = await server.token(SMALL_FIRM);
    const wrong = `${token.slice(0, 20)}${token.at(20) === 'a' ? 'b' : 'a'}${token.slice(21)}`;
    for (const fragment of [wrong, '', '<script>']) {
      await withPage(async (page, context) => {
        await page.goto(`${server.origin}${NUMBERS}?country_codes=DE#token=${fragment}`);
        await page.getByText(texts.signIn.link).waitFor();
        const shown = `${server.origin}${NUMBERS}?country_codes=DE`;
        assert.deepEqual(await historyOf(page, context), ['about:blank', shown]);
        await page.getByLabel(texts.signIn.token, { exact: true }).fill(token);
        await page.keyboard.press('Enter');
        await total(page, GERMAN);
      });
    }
  });

  test('that has ended says so', async () => {
    const made = await server.token(SMALL_FIRM);
    await withPage(async (page) => {
      await page.goto(`${server.origin}${NUMBERS}#token=${made.token}`);
      await total(page, TOTAL);
      await server.command('token', 'revoke', made.id);
      await page.getByText(texts.signIn.link).waitFor();
    });
  });

  describe('where somebody is signed in', () => {
    const words = texts.linkQuestion;
    const question = (page: Page) => page.getByText(`${words.signedIn(FIRM)} ${words.opens(SHOP)}`);
    const button = (page: Page, name: string) => page.getByRole('button', { name });
    let shop: string;
    before(async () => {
      await server.command('account', 'create', 'corner-shop', '--name', SHOP);
      ({ token: shop } = await server.token('corner-shop'));
    });

    test('asks for another account, and other tabs keep theirs', async () => {
      const { url } = await signInLink(NUMBERS);
      await withPage(async (page, context) => {
        await page.goto(url);
        await total(page, TOTAL);
        const other = await context.newPage();
        await other.goto(server.origin + NUMBERS);
        await total(other, TOTAL);
        await page.goto(`${server.origin}${SERVICES}?q=a#token=${shop}`);
        await question(page).waitFor();
        assert.equal(await page.evaluate('document.URL'), `${server.origin}${SERVICES}?q=a`);
        await page.reload();
        await button(page, FIRM).waitFor();
        await page.goto(`${server.origin}${NUMBERS}#token=${shop}`);
        await button(page, words.stay(FIRM)).click();
        await total(page, TOTAL);
        await page.evaluate(`location.hash = 'token=${shop}'`);
        await button(page, words.open(SHOP)).click();
        await page.getByText(texts.nothingFound.account('Virtual numbers')).waitFor();
        await page.reload();
        await button(page, SHOP).waitFor();
        await other.reload();
        await total(other, TOTAL);
        await button(other, FIRM).waitFor();
      });
    });

    test('asks for an account whose name is longer than a phone is wide, with all of the name', async () => {
      const name =
        'Gesellschaft für außergewöhnlich lange Firmennamen und Telekommunikationsdienste mbH & Co. KG';
      await server.command('account', 'create', 'long-name', '--name', name);
      const { token } = await server.token('long-name');
      const { url } = await signInLink(NUMBERS);
      await withPage(async (page) => {
        await page.setViewportSize(PHONE);
        await page.goto(url);
        await page.locator('.card-link').first().waitFor();
        await page.goto(`${server.origin}${NUMBERS}#token=${token}`);
        const label = button(page, words.open(name)).locator('.mantine-Button-label');
        await label.waitFor();
        const isCut = await page.evaluate<boolean>(
          "[...document.querySelectorAll('.link-question .mantine-Button-label')].some((one) => one.scrollWidth > one.clientWidth)",
        );
        assert.equal(isCut, false);
      });
    });

    test('asks in a new tab as well', async () => {
      const { url } = await signInLink(NUMBERS);
      await withPage(async (page, context) => {
        await page.goto(url);
        await total(page, TOTAL);
        const other = await context.newPage();
        await other.goto(`${server.origin}${NUMBERS}#token=${shop}`);
        await button(other, words.open(SHOP)).click();
        await button(other, SHOP).waitFor();
        assert.equal(await question(other).count(), 0);
      });
    });

    test('does not ask for the same account, nor where the other token has ended', async () => {
      const [first, second] = [await signInLink(NUMBERS), await signInLink(SERVICES)];
      const ended = await server.token(SMALL_FIRM);
      await withPage(async (page, context) => {
        const questions: string[] = [];
        await page.exposeFunction('onQuestion', (title: string) => questions.push(title));
        await page.addInitScript(`new MutationObserver(() => {
          if (document.title.includes(${JSON.stringify(words.title)})) onQuestion(document.title);
        }).observe(document, { childList: true, subtree: true })`);
        await page.goto(first.url);
        await total(page, TOTAL);
        await page.goto(second.url);
        await page.locator('.row-link').first().waitFor();
        const stored = await page.evaluate((key) => sessionStorage.getItem(key), TOKEN_KEY);
        assert.equal(stored, second.token);
        await page.goto(`${server.origin}${NUMBERS}#token=${ended.token}`);
        await total(page, TOTAL);
        await context.setOffline(true);
        await server.command('token', 'revoke', ended.id);
        const headers = { authorization: `Bearer ${ended.token}` };
        // The service may know a token for up to five seconds after its end.
        await until('the token is refused', async () => {
          const { status } = await fetch(`${server.origin}/api/v1/account`, { headers });
          return status === 401;
        });
        await page.evaluate(`location.hash = 'token=${shop}'`);
        await context.setOffline(false);
        await button(page, SHOP).waitFor();
        assert.deepEqual(questions, []);
      });
    });

    test('says that it is not valid, and stays', async () => {
      const { url } = await signInLink(NUMBERS);
      for (const wrong of [`${shop.slice(0, -1)}`, '<script>'])
        await withPage(async (page) => {
          await page.goto(url);
          await total(page, TOTAL);
          await page.goto(`${server.origin}${NUMBERS}#token=${wrong}`);
          await page.getByText(`${words.signedIn(FIRM)} ${texts.signIn.link}`).waitFor();
          await page.getByRole('heading', { name: texts.trouble.title }).waitFor();
          await button(page, words.stay(FIRM)).click();
          await total(page, TOTAL);
          await page.goto(`${server.origin}${NUMBERS}?q=zz#token=${wrong}`);
          await button(page, texts.signIn.useToken).click();
          await page.getByLabel(texts.signIn.token, { exact: true }).fill(shop);
          await page.keyboard.press('Enter');
          await button(page, SHOP).waitFor();
          assert.equal(page.url(), `${server.origin}/`);
        });
    });
  });

  test('in a page that is open and signed out signs in, though no page is loaded', async () => {
    const { token } = await signInLink(NUMBERS);
    await withPage(async (page, context) => {
      await page.goto(server.origin + NUMBERS);
      await page.getByLabel(texts.signIn.token, { exact: true }).waitFor();
      await page.evaluate(`location.hash = 'token=${token}'`);
      await total(page, TOTAL);
      const shown = server.origin + NUMBERS;
      assert.equal(await page.evaluate('document.URL'), shown);
      assert.deepEqual(
        (await historyOf(page, context)).filter((address) => address.includes('#')),
        [],
      );
    });
  });

  test('works in a frame of an origin that is named', async () => {
    const { token, url } = await signInLink(NUMBERS);
    await withPage(async (page) => {
      await page.goto(`${portals[0]?.origin}/?framed=${encodeURIComponent(url)}`);
      const frame = page.frameLocator('iframe');
      const counted = frame.locator('.pager-range').filter({ hasText: new RegExp(` of ${TOTAL}$`) });
      await counted.waitFor();
      const [, framed] = page.frames();
      assert.equal(framed?.url(), server.origin + NUMBERS);
      await framed.evaluate('location.reload()');
      await counted.waitFor();
      await frame.getByRole('link', { name: 'Additional services' }).click();
      await frame.locator('.row-link').first().waitFor();
      assert.equal((await page.evaluate<string>('document.URL')).includes(`#token=${token}`), false);
    });
  });

  test('with ?embed=1 opens a page without header and menu, also after every step in it', async () => {
    const { url } = await signInLink(`${NUMBERS}?embed=1`);
    await withPage(async (page) => {
      await page.goto(`${portals[0]?.origin}/?framed=${encodeURIComponent(url)}`);
      const frame = page.frameLocator('iframe');
      const range = (of: number) =>
        frame
          .locator('.pager-range')
          .filter({ hasText: new RegExp(` of ${of}$`) })
          .waitFor();
      const [, framed] = page.frames();
      const isPlain = async () => {
        assert.match(framed?.url() ?? '', /[?&]embed=1$/);
        assert.equal(await frame.locator('header, .account-button').count(), 0);
      };
      await range(TOTAL);
      await isPlain();
      await frame.getByRole('checkbox', { name: /^Germany/ }).check();
      await range(GERMAN);
      await isPlain();
      await framed?.evaluate('location.reload()');
      await range(GERMAN);
      await frame.locator('.row-link').first().press('Control+k');
      await frame.getByRole('option', { name: 'Go to additional services' }).click();
      await range(8);
      await isPlain();
      await frame.locator('.row-link').first().click();
      await frame.locator('.details .field').first().waitFor();
      await isPlain();
      const isScrolled = 'document.documentElement.scrollHeight > document.documentElement.clientHeight';
      assert.equal(await framed?.evaluate(isScrolled), false);
    });
  });

  test('opens the reference, which no frame may show, in a tab of its own from a frame', async () => {
    for (const path of ['/notifications?embed=1', '/notifications']) {
      const { url } = await signInLink(path);
      await withPage(async (page, context) => {
        await page.goto(`${portals[0]?.origin}/?framed=${encodeURIComponent(url)}`);
        const frame = page.frameLocator('iframe');
        const isRead = async (choose: () => Promise<void>) => {
          const [reference] = await Promise.all([context.waitForEvent('page'), choose()]);
          await reference.getByRole('heading', { level: 1 }).waitFor();
          assert.match(reference.url(), /\/docs(?:#webhooks)?$/);
          await reference.close();
        };
        const link = frame.getByRole('link', { name: texts.notifications.howTo });
        await isRead(() => link.click());
        await link.press('Control+k');
        await frame.getByRole('combobox', { name: texts.palette.label }).fill(texts.reference);
        await isRead(() => frame.getByRole('option', { name: texts.reference, exact: true }).click());
      });
    }
  });

  test('works in a frame whose storage is refused, until it is reloaded: then only a new link helps', async () => {
    const { token, url } = await signInLink(NUMBERS);
    await withPage(async (page) => {
      await page.addInitScript(`if (parent !== window)
        for (const name of ['localStorage', 'sessionStorage', 'BroadcastChannel'])
          Object.defineProperty(window, name, { get() { throw new DOMException('', 'SecurityError'); } });`);
      await page.goto(`${portals[0]?.origin}/?framed=${encodeURIComponent(url)}`);
      const frame = page.frameLocator('iframe');
      const counted = frame.locator('.pager-range').filter({ hasText: new RegExp(` of ${TOTAL}$`) });
      await counted.waitFor();
      const [, framed] = page.frames();
      await framed?.evaluate('location.reload()');
      await frame.getByText(texts.signIn.reload).waitFor();
      const field = frame.getByLabel(texts.signIn.token, { exact: true });
      assert.equal(await field.count(), 0);
      await frame.getByRole('button', { name: texts.signIn.useToken }).click();
      await field.fill(token);
      await page.keyboard.press('Enter');
      await counted.waitFor();
      await page.reload();
      await counted.waitFor();
    });
  });

  test('is refused in a frame of any other', async () => {
    const { url } = await signInLink(NUMBERS);
    await withPage(async (page) => {
      const refused = page.waitForEvent('console', (said) => /frame-ancestors/.test(said.text()));
      await page.goto(`${portals[1]?.origin}/?framed=${encodeURIComponent(url)}`);
      assert.match((await refused).text(), new RegExp(portals[0]?.origin ?? ''));
      assert.equal(await page.frameLocator('iframe').locator('.brand').count(), 0);
    });
  });

  test('may be framed by pages of the origins that are named, and nothing else may', async () => {
    const ancestors = async (path: string, accept = 'text/html') => {
      const answer = await fetch(server.origin + path, { headers: { accept } });
      return /frame-ancestors ([^;]*)/.exec(answer.headers.get('content-security-policy') ?? '')?.[1];
    };
    for (const path of ['/', NUMBERS, `${NUMBERS}/1`])
      assert.equal(await ancestors(path), portals[0]?.origin, path);
    assert.equal(await ancestors('/docs'), "'none'");
  });
});
