// Visits to the console in a real browser, each in a context of its own, which complain of foreign requests,
// faults and whatever is said on the browser's console.

import assert from 'node:assert/strict';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from './browser.ts';
import { DemoServer, SMALL_FIRM } from './demo-server.ts';

export const WIDE = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };
export const SMALLEST = { width: 320, height: 640 };
export const NUMBERS = '/virtual-numbers';
export const SERVICES = '/additional-services';
export const TOKEN_KEY = 'linecard-token';
/** For whatever is waited for; a busy machine is slow. */
const PATIENCE_MS = 30_000;
/** What the browser says by itself of an answer that is an error. */
const SAID_OF_FAILURE = /Failed to load resource/;
/** Signs in before the page begins, once: signing out lasts. */
const SIGNED_IN = ([key, token]: readonly [key: string, token: string]) => {
  const begun = 'begun';
  if (sessionStorage.getItem(begun) !== null) return;
  sessionStorage.setItem(begun, begun);
  sessionStorage.setItem(key, token);
};

export interface Visit extends BrowserContextOptions {
  readonly path?: string;
  /** Whose; nobody's where it is empty. */
  readonly token?: string;
  /** What is done to the page before it goes anywhere. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

/** A server with the sample accounts, and a browser to look at it with. */
export class Visits {
  readonly server: DemoServer;
  readonly #browser: Browser;
  /** Of the small firm, whose visits these are unless they say otherwise. */
  readonly token: string;

  static async start(): Promise<Visits> {
    const [server, browser] = await Promise.all([DemoServer.open('--rate-limit', '0'), openBrowser()]);
    const { token } = await server.token(SMALL_FIRM);
    return new Visits(server, browser, token);
  }

  private constructor(server: DemoServer, browser: Browser, token: string) {
    this.server = server;
    this.#browser = browser;
    this.token = token;
  }

  async end(): Promise<void> {
    await this.#browser.close();
    await this.server.remove();
  }

  /** Opens a view and lets `use` use it. */
  async visit(
    { path = NUMBERS, token = this.token, prepare, ...options }: Visit,
    use: (page: Page, context: BrowserContext) => Promise<void>,
  ): Promise<void> {
    const context = await this.#browser.newContext({
      viewport: WIDE,
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const strayed = this.#strayed(context, token);
    try {
      const page = await context.newPage();
      if (token !== '') await page.addInitScript(SIGNED_IN, [TOKEN_KEY, token] as const);
      await prepare?.(page);
      await page.goto(this.server.origin + path);
      if (token !== '') await page.locator('nav.tabs').waitFor();
      await use(page, context);
      assert.deepEqual(strayed, []);
    } finally {
      await context.close();
    }
  }

  /** What a context does that the console must not; grows as it does. */
  #strayed(context: BrowserContext, token: string): readonly string[] {
    const strayed: string[] = [];
    context.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(this.server.origin) && !/^(?:data|blob):/.test(url)) strayed.push(url);
      if (token !== '' && url.includes(token)) strayed.push('a token in an address');
    });
    context.on('console', (message) => {
      if (!SAID_OF_FAILURE.test(message.text())) strayed.push(message.text());
    });
    context.on('weberror', (error) => strayed.push(error.error().message));
    return strayed;
  }
}
