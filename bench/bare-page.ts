// The yardstick of the console: the least that a page can do with the same answers, in the same browser.
// The page requests them at the same time, and builds a table of all fields of the items of a list.

import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { median } from './table.ts';

const PATH = '/bare-page';
const DOCUMENT =
  '<!doctype html><meta charset="utf-8"><div id="list" style="height: 800px; overflow: auto"></div>';
const REPETITIONS = 5;

/** Runs in the page: `requested(paths, token)` reads answers; `written(text)` writes a list. */
const SCRIPT = `
  const requested = (paths, authorization) => Promise.all(
    paths.map(async (path) => (await fetch(path, { headers: { authorization }, cache: 'no-store' })).text()),
  );
  const escaped = (value) => String(value ?? '').replace(/[&<]/g, (sign) => '&#' + sign.charCodeAt(0) + ';');
  const written = (text) => {
    const { data } = JSON.parse(text);
    const cells = (item) => Object.values(item).map((value) => '<td>' + escaped(value) + '</td>').join('');
    const list = document.querySelector('#list');
    list.innerHTML = '<table>' + data.map((item) => '<tr>' + cells(item) + '</tr>').join('') + '</table>';
    return list.scrollHeight;
  };`;

/** Runs in a page: scrolls its list to the end, a wheel's step in each frame, and measures the frames. */
const SCROLL = `new Promise((resolve) => {
  const list = document.querySelector('#list');
  const frames = [];
  let before = performance.now();
  const next = (now) => {
    frames.push(now - before);
    before = now;
    const top = list.scrollTop;
    list.scrollBy(0, 100);
    if (list.scrollTop > top) requestAnimationFrame(next);
    else resolve(frames.slice(1));
  };
  requestAnimationFrame(next);
})`;

/** The frames of a scroll of the list of a page to its end, in milliseconds, at the 95th percentile. */
export async function scrolledFrames(page: Page): Promise<number> {
  await page.bringToFront();
  const frames = await page.evaluate<number[]>(SCROLL);
  return frames.toSorted((a, b) => a - b)[Math.floor(frames.length * 0.95)] as number;
}

/** Delays every answer to a page. */
export async function delayed(page: Page, milliseconds: number): Promise<CDPSession> {
  const network = await page.context().newCDPSession(page);
  const conditions = { offline: false, downloadThroughput: -1, uploadThroughput: -1 };
  await network.send('Network.emulateNetworkConditions', { ...conditions, latency: milliseconds });
  return network;
}

export class BarePage {
  readonly #page: Page;
  readonly #token: string;

  private constructor(page: Page, token: string) {
    this.#page = page;
    this.#token = token;
  }

  static async open(context: BrowserContext, url: string, token: string): Promise<BarePage> {
    const page = await context.newPage();
    await page.route(url + PATH, (route) => route.fulfill({ contentType: 'text/html', body: DOCUMENT }));
    await page.goto(url + PATH);
    await page.addScriptTag({ content: SCRIPT });
    return new BarePage(page, token);
  }

  /** Milliseconds until answers, requested at the same time and each of them late, are read. */
  async answers(paths: readonly string[], late = 0): Promise<number> {
    const network = await delayed(this.#page, late);
    const words = [paths, this.#token].map((word) => JSON.stringify(word)).join(', ');
    const once = `(async () => { const begin = performance.now(); await requested(${words}); return performance.now() - begin; })()`;
    const took = await this.#middle(once);
    await network.detach();
    return took;
  }

  /** Milliseconds from the last byte of a list to its table, laid out. */
  async table(path: string): Promise<number> {
    const once = `(async () => {
      const [text] = await requested([${JSON.stringify(path)}], ${JSON.stringify(this.#token)});
      const begin = performance.now();
      written(text);
      return performance.now() - begin;
    })()`;
    return this.#middle(once);
  }

  /** The frames of a scroll of a list. */
  async frames(path: string): Promise<number> {
    await this.table(path);
    return scrolledFrames(this.#page);
  }

  async #middle(once: string): Promise<number> {
    await this.#page.bringToFront();
    const all: number[] = [];
    for (let i = 0; i < REPETITIONS; i++) all.push(await this.#page.evaluate<number>(once));
    return median(all);
  }
}
