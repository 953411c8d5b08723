// Answers that reach a page one after the other, each when the page has shown the one before: in the order of
// the questions, or in the opposite one. What only ever comes together is then seen apart.

import type { Page, Request, Route } from 'playwright-core';

/** Two idle times: what the first one starts has begun. */
const IDLE = `new Promise((resolve) => requestIdleCallback(() => requestIdleCallback(resolve)))`;

export type Order = 'as asked' | 'reversed';

const isQuestion = (request: Request) => new URL(request.url()).pathname.includes('/api/');
/** It is answered when something changes. */
const isWait = (request: Request) => request.headers()['prefer'] !== undefined;

export class AnswersInTurn {
  readonly #page: Page;
  readonly #held: Route[] = [];
  readonly #loading = new Set<Request>();
  #isOver = false;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Before the page goes anywhere. */
  async hold(): Promise<void> {
    this.#page.on('request', (request) => isQuestion(request) || this.#loading.add(request));
    for (const end of ['requestfinished', 'requestfailed'] as const)
      this.#page.on(end as 'requestfinished', (request) => this.#loading.delete(request));
    await this.#page.route('**/api/**', async (route) => {
      if (this.#isOver || isWait(route.request())) await route.continue();
      else this.#held.push(route);
    });
  }

  /** Until the page has asked for nothing more. */
  async release(order: Order): Promise<void> {
    for (;;) {
      do await this.#page.evaluate(IDLE);
      while (this.#loading.size > 0);
      const route = order === 'reversed' ? this.#held.pop() : this.#held.shift();
      if (route === undefined) break;
      const answer = this.#page.waitForResponse((one) => one.request() === route.request());
      await route.continue();
      await (await answer).finished();
    }
    this.#isOver = true;
  }
}
