// `npm run screenshots`: takes the screenshots in docs/ and the README, with the sample accounts.

import { mkdirSync, writeFileSync } from 'node:fs';
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

const WIDE = { width: 1280, height: 720 };
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

/** A picture as WebP, which takes half as much as PNG and looks the same. */
async function webpOf(png: Buffer, page: Page): Promise<Buffer> {
  const url = await page.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${png.toString('base64')}';
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', 0.9);
  })()`);
  return Buffer.from(url.split(',')[1] ?? '', 'base64');
}

mkdirSync(FOLDER, { recursive: true });
const server = await DemoServer.open();
const browser = await openBrowser();
try {
  const { token } = await server.token(SMALL_FIRM);
  const blank = await browser.newPage();
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
    const picture = await webpOf(await page.screenshot(), blank);
    await context.close();
    console.log(`docs/pictures/${name}.webp: ${Math.ceil(picture.length / 1_000)} kB`);
    if (picture.length > MAX_BYTES) throw new Error(`${name}.webp is larger than ${MAX_BYTES} bytes.`);
    writeFileSync(join(FOLDER, `${name}.webp`), picture);
  }
} finally {
  await browser.close();
  await server.remove();
}
