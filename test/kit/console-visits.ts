// Visits to the console in a real browser, each in a tab whose storage is empty, which complain of foreign
// requests, faults and whatever is said on the browser's console.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from './browser.ts';
import { DemoServer, SMALL_FIRM } from './demo-server.ts';

export const WIDE = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };
export const SMALLEST = { width: 320, height: 640 };
export const NUMBERS = '/virtual-numbers';
export const SERVICES = '/additional-services';
/** Fourteen hours ahead or twelve behind: it has another day than UTC now, and for an hour. */
export const zoneOfOtherDay = () => (new Date().getUTCHours() < 10 ? 'Etc/GMT+12' : 'Pacific/Kiritimati');
export const TOKEN_KEY = 'linecard-token';
/** For whatever is waited for; a busy machine is slow. */
const PATIENCE_MS = 30_000;
/** What the browser says by itself of an answer that is an error. */
const SAID_OF_FAILURE = /Failed to load resource/;
/** Empties the storage before the first page of a visit, and signs in, once: signing out lasts. */
const BEGIN = ([visit, key, token]: readonly [visit: string, key: string, token: string]) => {
  const begun = 'begun';
  if (sessionStorage.getItem(begun) === visit) return;
  sessionStorage.clear();
  localStorage.clear();
  sessionStorage.setItem(begun, visit);
  if (token !== '') sessionStorage.setItem(key, token);
};

export interface Visit extends Omit<BrowserContextOptions, 'viewport'> {
  readonly viewport?: typeof WIDE;
  readonly path?: string;
  /** Whose; nobody's where it is empty. */
  readonly token?: string;
  /** What is done to the page before it goes anywhere. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

/** A tab in a context of its own, for one visit after the other. */
interface Tab {
  readonly page: Page;
  /** The server of this visit. */
  origin: string;
  /** What it did in this visit that the console must not. */
  strayed: string[];
}

let browser: Promise<Browser> | undefined;
after(async () => (await browser)?.close());

/** One for all tests of a process: to start another costs two seconds of processor time. */
export function sharedBrowser(): Promise<Browser> {
  browser ??= openBrowser();
  return browser;
}

/** Tabs between two visits, by the options of their contexts: a new one costs more than many a visit. */
const idleTabs = new Map<string, Tab[]>();

async function newTab(options: BrowserContextOptions): Promise<Tab> {
  const context = await (await sharedBrowser()).newContext({
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const tab: Tab = { page: await context.newPage(), origin: '', strayed: [] };
  context.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(tab.origin) && !/^(?:data|blob):/.test(url)) tab.strayed.push(url);
    if (/lc_\w{20}/.test(url)) tab.strayed.push('a token in an address');
  });
  context.on('console', (message) => {
    if (!SAID_OF_FAILURE.test(message.text())) tab.strayed.push(message.text());
  });
  context.on('weberror', (error) => tab.strayed.push(error.error().message));
  return tab;
}

/** Leaves the page, so that it waits for nothing more, with all that was opened from it. */
async function emptied(tab: Tab): Promise<Tab> {
  const { page } = tab;
  for (const other of page.context().pages()) if (other !== page) await other.close();
  await page.unrouteAll();
  await page.goto('about:blank');
  return tab;
}

/** A server with the sample accounts, and a browser to look at it with. */
export class Visits {
  readonly server: DemoServer;
  /** Of the small firm, whose visits these are unless they say otherwise. */
  readonly token: string;

  static async start(): Promise<Visits> {
    const server = await DemoServer.open('--rate-limit', '0');
    return new Visits(server, await server.sampleToken(SMALL_FIRM));
  }

  private constructor(server: DemoServer, token: string) {
    this.server = server;
    this.token = token;
  }

  end(): Promise<void> {
    return this.server.remove();
  }

  /** Opens a view and lets `use` use it. */
  async visit(
    { path = NUMBERS, token = this.token, prepare, viewport = WIDE, ...how }: Visit,
    use: (page: Page, context: BrowserContext) => Promise<void>,
  ): Promise<void> {
    const { colorScheme = 'light', forcedColors = 'none', ...options } = how;
    const key = JSON.stringify(options);
    const idle = idleTabs.get(key) ?? [];
    idleTabs.set(key, idle);
    // What is done to a page before it goes anywhere may last.
    const tab = (prepare === undefined && idle.pop()) || (await newTab(options));
    const { page } = tab;
    const context = page.context();
    Object.assign(tab, { origin: this.server.origin, strayed: [] });
    let isReusable = false;
    try {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ media: 'screen', colorScheme, forcedColors });
      const begin = await page.addInitScript(BEGIN, [randomUUID(), TOKEN_KEY, token] as const);
      await prepare?.(page);
      await page.goto(this.server.origin + path);
      if (token !== '') await page.locator('header.header').waitFor();
      await use(page, context);
      assert.deepEqual(tab.strayed, []);
      await begin.dispose();
      isReusable = prepare === undefined;
    } finally {
      if (isReusable) idle.push(await emptied(tab));
      else await context.close();
    }
  }
}
