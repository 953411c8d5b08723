// Firefox for the tests that look at pages, as people have it: spoken to by WebDriver BiDi, which it answers
// itself. It says what goes wrong in a page: errors, and requests that fail.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { ENVIRONMENT } from './environment.ts';
import { heard, type Running, stopProgram } from './program.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

const PLACES = [
  '/usr/bin/firefox-esr',
  '/usr/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
  'C:\\Program Files\\Mozilla Firefox\\firefox.exe',
];
const place = PLACES.find((one) => existsSync(one));

/** What `skip` of a test takes: `false` where there is a Firefox, else why not and what to do about it. */
export const NO_FIREFOX = place === undefined && 'needs Firefox, for example `apt-get install firefox-esr`';

/** System access is for its preferences, which change while it runs. */
const OPTIONS = ['--headless', '--no-remote', '--remote-debugging-port=0', '--remote-allow-system-access'];
const FIRST_ERROR = 400;
const ENTER = '\uE007';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Wrong;
  readonly result?: unknown;
  readonly error?: string;
  readonly message?: string;
}

/** What an event says of a log entry, or of a request. */
interface Wrong {
  readonly level?: string;
  readonly text?: string | null;
  readonly errorText?: string;
  readonly request?: { readonly url: string };
  readonly response?: { readonly status: number };
}

interface Contexts {
  readonly contexts: readonly { readonly context: string }[];
}

interface Evaluated {
  readonly result?: { readonly value?: unknown };
  readonly exceptionDetails?: { readonly text: string };
}

/** An expression for the first element that a selector names and that has a text in it. */
const found = (selector: string, text: string) =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})]
    .find(({ textContent }) => textContent.includes(${JSON.stringify(text)}))`;

export class Firefox {
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (message: Message) => void>();
  readonly #running: Running;
  #sent = 0;
  #tab = '';
  /** What went wrong in pages since the last one was opened. */
  wrong: string[] = [];

  static async start(): Promise<Firefox> {
    // Its profile, and whatever else it writes.
    const home = temporaryFolder();
    const child = spawn(place ?? 'firefox', [...OPTIONS, '--profile', home], {
      env: { ...ENVIRONMENT, HOME: home },
    });
    process.once('exit', () => child.kill('SIGKILL'));
    const running = heard(child);
    const [, url = ''] = await running.says(/BiDi listening on (ws:\S+)\s/);
    const socket = new WebSocket(`${url}/session`);
    await once(socket, 'open');
    const firefox = new Firefox(socket, running);
    await firefox.#begin();
    return firefox;
  }

  private constructor(socket: WebSocket, running: Running) {
    this.#socket = socket;
    this.#running = running;
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data))));
  }

  async #begin(): Promise<void> {
    await this.#send('session.new', { capabilities: {} });
    const events = ['log.entryAdded', 'network.responseCompleted', 'network.fetchError'];
    await this.#send('session.subscribe', { events });
    await this.#newTab();
  }

  #receive({ id, method = '', params, ...answer }: Message): void {
    if (id !== undefined) return this.#answers.get(id)?.(answer);
    const { level, text, errorText, request, response } = params ?? {};
    if (method === 'log.entryAdded' && level !== 'info' && level !== 'debug')
      this.wrong.push(`${level}: ${text}`);
    // A page that is left waits no more for news.
    if (method === 'network.fetchError' && errorText !== 'NS_BINDING_ABORTED')
      this.wrong.push(`${request?.url}: ${errorText}`);
    if ((response?.status ?? 0) >= FIRST_ERROR) this.wrong.push(`${request?.url}: ${response?.status}`);
  }

  async #send<T>(method: string, params: object): Promise<T> {
    this.#sent += 1;
    const id = this.#sent;
    const { promise, resolve } = Promise.withResolvers<Message>();
    this.#answers.set(id, resolve);
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { result, error, message } = await promise;
    this.#answers.delete(id);
    if (error !== undefined) throw new Error(`${method}: ${error}: ${message}`);
    return result as T;
  }

  /** A tab whose storage is empty. */
  async #newTab(): Promise<void> {
    const { userContext } = await this.#send<{ readonly userContext: string }>(
      'browser.createUserContext',
      {},
    );
    const created = await this.#send<{ readonly context: string }>('browsingContext.create', {
      type: 'tab',
      userContext,
    });
    this.#tab = created.context;
  }

  async #evaluate(expression: string, context: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.#send<Evaluated>('script.evaluate', {
      expression,
      target: { context },
      awaitPromise: true,
    });
    assert.equal(exceptionDetails, undefined, `${exceptionDetails?.text} in ${expression}`);
    return result?.value;
  }

  /** The value of an expression in the page, if it is a text, a number or a boolean. */
  evaluate(expression: string): Promise<unknown> {
    return this.#evaluate(expression, this.#tab);
  }

  /** Blocks all cookies, and with them all storage, in a tab that has none. */
  async blockCookies(): Promise<void> {
    const { contexts } = await this.#send<Contexts>('browsingContext.getTree', { 'moz:scope': 'chrome' });
    const set = `Services.prefs.setIntPref('network.cookie.cookieBehavior', 2)`;
    await this.#evaluate(set, contexts[0]?.context ?? '');
    await this.#newTab();
  }

  async open(url: string): Promise<void> {
    // From another page, so that a fragment that differs loads it as well.
    for (const next of ['about:blank', url]) {
      this.wrong = [];
      await this.#send('browsingContext.navigate', { context: this.#tab, url: next, wait: 'interactive' });
    }
  }

  /** Waits until an element of the page that a selector names has a text in it. */
  async shows(selector: string, text = ''): Promise<void> {
    const what = `${selector} shows “${text}”`;
    let seen: unknown; // where it takes too long
    const look = async () => {
      const isThere = await this.evaluate(`${found(selector, text)} !== undefined`);
      if (isThere !== true) seen = await this.evaluate('document.body?.innerText');
      return isThere === true;
    };
    await until(what, look, () => `${this.wrong.join('\n')}\n${String(seen)}`);
  }

  async click(selector: string, text = ''): Promise<void> {
    await this.shows(selector, text);
    await this.evaluate(`${found(selector, text)}.click()`);
  }

  /** Types with the keyboard where the focus is, and presses Enter. */
  async type(text: string): Promise<void> {
    const actions = [...Array.from(text), ENTER].flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.#send('input.performActions', {
      context: this.#tab,
      actions: [{ type: 'key', id: 'keyboard', actions }],
    });
  }

  async close(): Promise<void> {
    this.#socket.close();
    await stopProgram(this.#running);
  }
}
