// `npm run screenshots`: takes the screenshots in docs/ and the README, with the sample accounts.

import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from '../test/kit/browser.ts';
import { DemoServer, SMALL_FIRM } from '../test/kit/demo-server.ts';

const FOLDER = join(import.meta.dirname, '..', 'docs', 'pictures');
const MAX_BYTES = 150_000;
const TOKEN_KEY = 'linecard-token';
const SETTLED_MS = 800;

interface Picture extends BrowserContextOptions {
  readonly name: string;
  readonly path?: string;
  readonly reach?: (page: Page) => Promise<unknown>;
}

const WIDE = { width: 1140, height: 720 };
const pictures: readonly Picture[] = [
  { name: 'console-overview', viewport: WIDE, path: '/' },
  { name: 'console', viewport: WIDE },
  { name: 'console-dark', viewport: WIDE, colorScheme: 'dark', path: '/virtual-numbers?country_codes=DE' },
  {
    name: 'console-details',
    viewport: WIDE,
    reach: (page) => page.locator('.row-link').nth(6).click(),
  },
  { name: 'console-phone', viewport: { width: 390, height: 780 } },
];

mkdirSync(FOLDER, { recursive: true });
const server = await DemoServer.open();
const browser = await openBrowser();
try {
  const { token } = await server.token(SMALL_FIRM);
  for (const { name, path = '/virtual-numbers', reach, ...options } of pictures) {
    const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/London', ...options });
    const page = await context.newPage();
    await page.addInitScript(([key, value]) => sessionStorage.setItem(key, value), [
      TOKEN_KEY,
      token,
    ] as const);
    await page.goto(server.origin + path);
    await page.locator('.row-link, .card-link, .overview-sentence').first().waitFor();
    await reach?.(page);
    await page.waitForTimeout(SETTLED_MS);
    const file = join(FOLDER, `${name}.png`);
    await page.screenshot({ path: file });
    await context.close();
    const { size } = statSync(file);
    console.log(`docs/pictures/${name}.png: ${Math.ceil(size / 1_000)} kB`);
    if (size > MAX_BYTES) throw new Error(`${name}.png is larger than ${MAX_BYTES} bytes.`);
  }
} finally {
  await browser.close();
  await server.remove();
}
