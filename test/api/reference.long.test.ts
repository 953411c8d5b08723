// The reference at /docs, in a real browser: it shows the whole contract, requests nothing else for
// anything, and reads well on a telephone, in light and in dark.

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { DEFAULT_MAX_PAGE_SIZE, lists } from '../../api/contract/contract.ts';
import { problems } from '../../api/contract/problems.ts';
import { guide } from '../../api/openapi/guide.ts';
import { openapi } from '../../api/openapi/openapi.ts';
import { references } from '../../server/reference/reference.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { complaints } from '../kit/console-list.ts';
import { sharedBrowser } from '../kit/console-visits.ts';
import { listen } from '../kit/free-port.ts';

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 360, height: 740 };
const document = openapi({ version: '1.2.3', max_page_size: DEFAULT_MAX_PAGE_SIZE });
const pageSent = references(document, guide(DEFAULT_MAX_PAGE_SIZE, []))['/docs'];

describe('the reference at /docs', { skip: NO_BROWSER }, () => {
  let server: Server;
  let browser: Browser;
  let origin: string;

  before(async () => {
    server = createServer((_, response) =>
      response.writeHead(200, pageSent.headers).end(pageSent.write(origin)),
    );
    origin = `http://127.0.0.1:${await listen(server)}`;
    browser = await sharedBrowser();
  });

  after(async () => {
    server.closeAllConnections();
    server.close();
  });

  /**
   * Opens the page, lets `look` look at it, and complains of every other request and every line in the
   * console.
   */
  async function visit(
    options: {
      viewport: typeof WIDE;
      colorScheme?: 'light' | 'dark';
      javaScriptEnabled?: boolean;
      permissions?: string[];
    },
    look: (page: Page) => Promise<void>,
  ): Promise<void> {
    const context = await browser.newContext(options);
    try {
      const page = await context.newPage();
      const strayed: string[] = [];
      page.on('request', (request) => {
        if (request.url() !== `${origin}/docs` && !request.url().startsWith('data:'))
          strayed.push(request.url());
      });
      page.on('console', (message) => strayed.push(message.text()));
      page.on('pageerror', (error) => strayed.push(error.message));
      await page.goto(`${origin}/docs`);
      await look(page);
      assert.deepEqual(strayed, []);
    } finally {
      await context.close();
    }
  }

  test('shows every list with its parameters, fields and sort keys, and every problem', async () => {
    await visit({ viewport: WIDE, javaScriptEnabled: false }, async (page) => {
      const text = (await page.locator('main').textContent()) ?? '';
      for (const list of Object.values(lists)) {
        const names = [list.filters, list.fields, list.sorts].flatMap((record) => Object.keys(record));
        for (const name of [list.path, ...names]) assert.ok(text.includes(name), name);
        for (const name of Object.keys(list.filters)) {
          assert.equal(await page.locator(`[id="list_${list.name}.${name}"]`).count(), 1, name);
        }
      }
      for (const code of Object.keys(problems)) assert.ok(text.includes(code), code);
    });
  });

  test('every example has the address of the service, and none another', async () => {
    await visit({ viewport: WIDE, javaScriptEnabled: false }, async (page) => {
      assert.doesNotMatch(await page.content(), /linecard\.example/);
      const all = await page.locator('pre.in-curl').allTextContents();
      assert.ok(all.length > 4);
      for (const one of all) assert.ok(one.includes(`"${origin}/`), one);
      const text = (await page.locator('main').textContent()) ?? '';
      assert.match(text, /token create --account/);
      for (const name of ['@linecard/client', 'linecard login', 'linecard mcp', 'QUERY', 'Next-Cursor'])
        assert.ok(text.includes(name), name);
    });
  });

  test('one choice shows all examples in another language, without JavaScript, and moves nothing', async () => {
    await visit({ viewport: WIDE, javaScriptEnabled: false }, async (page) => {
      const languages = page.getByRole('radio');
      const names = await languages.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
      assert.deepEqual(names, ['curl', 'TypeScript', 'Python', 'Command line']);
      const samples = page.locator('.samples');
      const count = await samples.count();
      assert.ok(count > 4);
      for (const name of ['Python', 'Command line', 'curl', 'TypeScript']) {
        const id = `in-${name.toLowerCase().replace(' ', '-')}`;
        const label = page.locator(`#list_virtual_numbers label[for="${id}"]`);
        await label.scrollIntoViewIfNeeded();
        const before = await label.boundingBox();
        await label.click();
        assert.equal((await label.boundingBox())?.y, before?.y);
        assert.equal(await page.locator('.samples > pre:visible').count(), count);
        assert.equal(await page.locator(`.samples > pre.${id}:visible`).count(), count);
      }
      await page.getByRole('radio', { name: 'TypeScript' }).focus();
      await page.keyboard.press('ArrowRight');
      assert.equal(await page.locator('.samples > pre.in-python:visible').count(), count);
    });
  });

  test('every link within the page leads somewhere, and no id is there twice', async () => {
    await visit({ viewport: WIDE }, async (page) => {
      const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id));
      assert.equal(new Set(ids).size, ids.length);
      const targets = await page
        .locator('a[href^="#"]')
        .evaluateAll((all) => all.map((a) => a.getAttribute('href')));
      assert.deepEqual(
        targets.filter((target) => !ids.includes(target?.slice(1) ?? '')),
        [],
      );
    });
  });

  test('nothing overflows, wide or narrow', async () => {
    await visit({ viewport: WIDE }, async (page) => {
      for (const viewport of [WIDE, NARROW]) {
        await page.setViewportSize(viewport);
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        assert.ok(width <= viewport.width, `${width} wide at ${viewport.width}`);
      }
    });
  });

  test('leaves a page that is enlarged to 400 % to its text', async () => {
    await visit({ viewport: { width: 320, height: 256 } }, async (page) => {
      await page.evaluate(`document.querySelector('#errors').scrollIntoView()`);
      const isHeaderAway = await page.evaluate(
        `document.querySelector('header').getBoundingClientRect().bottom < 0`,
      );
      assert.equal(isHeaderAway, true);
    });
  });

  test('breaks no rule of accessibility, and has enough contrast in dark mode', async () => {
    await visit({ viewport: WIDE, colorScheme: 'light' }, async (page) => {
      assert.deepEqual(await complaints(page), []);
      // axe takes the room around a smaller one for a part of it.
      const small = `[...document.querySelectorAll('dt a, .files a, nav a, header a, button, summary, label')]
        .map((one) => [one.textContent, one.getBoundingClientRect()])
        .filter(([, { width, height }]) => width > 0 && Math.min(width, height) < 24)
        .map(([text, { width, height }]) => \`\${text}: \${width} x \${height}\`)`;
      assert.deepEqual(await page.evaluate(small), []);
      await page.emulateMedia({ colorScheme: 'dark' });
      const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      assert.notEqual(ground, 'rgb(255, 255, 255)');
      assert.deepEqual(await complaints(page, undefined, true), []);
    });
  });

  test('sets no room before what follows the name of an operation', async () => {
    await visit({ viewport: WIDE }, async (page) => {
      const rooms = await page.evaluate<number[]>(`
        [...document.querySelectorAll('.as > a:not(:has(code))')].map((link) => {
          const after = document.createRange();
          after.setStart(link.nextSibling, 0);
          after.setEnd(link.nextSibling, 1);
          return after.getBoundingClientRect().left - link.getBoundingClientRect().right;
        })`);
      assert.ok(rooms.length > 0 && Math.max(...rooms) < 1, rooms.join());
    });
  });

  test('underlines a link within a sentence, as its colour is near that of the text', async () => {
    await visit({ viewport: WIDE }, async (page) => {
      const lines = await page.evaluate<string[]>(`
        [...document.querySelectorAll('main p a:not(:has(code))')].map((link) => getComputedStyle(link).textDecorationLine)`);
      assert.ok(lines.length > 0);
      assert.deepEqual([...new Set(lines)], ['underline']);
    });
  });

  test('is searched by the keyboard, says which section is read, and keeps the chosen language', async () => {
    await visit({ viewport: WIDE, permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('list virtual');
      await page.locator('search a').first().waitFor();
      assert.deepEqual(await complaints(page), []);
      await page.keyboard.press('ArrowDown');
      const hash = await page.evaluate<string>('document.activeElement.hash');
      await page.keyboard.press('Enter');
      await page.waitForFunction(`location.hash === '${hash}'`);
      const current = page.locator(`.side nav a[aria-current=true][href="${hash}"]`);
      await current.waitFor();
      const { y = 0 } = (await current.boundingBox()) ?? {};
      assert.ok(y > 0 && y < WIDE.height, `The section that is read is at ${y} of ${WIDE.height} pixels.`);
      await page.keyboard.press('Control+k');
      await page.locator('search input:focus').waitFor();
      await page.keyboard.type('page_size');
      await page.locator('search a').first().waitFor();
      const found = await page.locator('search li').allTextContents();
      assert.equal(new Set(found).size, found.length, found.join('\n'));
      assert.ok(found.includes('page_size List virtual numbers'), found.join('\n'));
      await page.locator('search input').fill('page_size of elephants');
      await page.locator('search li', { hasText: 'Nothing matches.' }).waitFor();
      const radio = page.locator('.languages input').last();
      await radio.focus();
      await page.keyboard.press('Space');
      await page.reload();
      assert.equal(await radio.isChecked(), true);
      const code = page.locator('main pre:visible').first();
      await code.locator('.copy').click();
      await code.locator('.copy', { hasText: 'Copied' }).waitFor();
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      assert.equal(copied, await code.locator('code').textContent());
      const covered = await page.evaluate<
        string[]
      >(`[...document.querySelectorAll('pre:has(.copy)')].flatMap((pre) => {
        const copy = pre.querySelector('.copy').getBoundingClientRect();
        const text = document.createRange();
        text.selectNodeContents(pre.querySelector('code'));
        const isUnder = ({ right, top, width }) => width > 0 && right > copy.left && top < copy.bottom - 2;
        return copy.width > 0 && [...text.getClientRects()].some(isUnder) ? [pre.innerText.slice(0, 60)] : [];
      })`);
      assert.deepEqual(covered, [], 'the button to copy lies over an example');
    });
  });

  test('the policy lets nothing else in', async () => {
    await visit({ viewport: WIDE }, async (page) => {
      const policy = pageSent.headers['content-security-policy'] ?? '';
      assert.match(policy, /^default-src 'none';/);
      assert.doesNotMatch(policy, /unsafe|https?:/);
      assert.match(policy, /; script-src 'sha256-[\w+/=]+'; /);
      assert.equal(await page.locator('script').count(), 1);
      assert.equal(await page.locator('[style]').count(), 0);
    });
  });
});
