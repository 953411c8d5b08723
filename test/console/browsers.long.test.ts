// Browsers that refuse or lack something: the console works for one page without storage, and says in plain
// words, in the reader's language, that a browser is too old or that the page could not start.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parseSync, Visitor } from 'oxc-parser';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { texts as de } from '../../console/texts/de.ts';
import { texts } from '../../console/texts.ts';
import { NO_BROWSER, openBrowser } from '../kit/browser.ts';
import { TOTAL, total } from '../kit/console-list.ts';
import { NUMBERS, SERVICES } from '../kit/console-visits.ts';
import { DemoServer, SMALL_FIRM } from '../kit/demo-server.ts';
import { ROOT } from '../repository/sources.ts';

const PATIENCE_MS = 30_000;
const SCRIPT = readFileSync(join(ROOT, 'console/starting.js'), 'utf8');
const HTML = readFileSync(join(ROOT, 'console/index.html'), 'utf8');
/** What starting.js looks for. */
const NEEDED = [...(/var NEEDED = \[([^\]]*)\]/.exec(SCRIPT)?.[1] ?? '').matchAll(/'([^']+)'/g)].map(
  ([, name = '']) => name,
);
/** What browsers learned since 2020, as far as somebody might use it without a second thought. */
const RECENT = `AbortSignal.any AbortSignal.timeout AbortSignal.prototype.throwIfAborted Array.fromAsync
  Array.prototype.at Array.prototype.findLast Array.prototype.findLastIndex Array.prototype.toReversed
  Array.prototype.toSorted Array.prototype.toSpliced Element.prototype.checkVisibility Error.isError
  Intl.DisplayNames Intl.DurationFormat Intl.ListFormat Intl.Segmenter Iterator.from Map.groupBy Math.sumPrecise
  Object.groupBy Object.hasOwn Promise.allSettled Promise.any Promise.try Promise.withResolvers RegExp.escape
  Set.prototype.difference Set.prototype.intersection Set.prototype.isSubsetOf Set.prototype.union
  String.prototype.isWellFormed String.prototype.matchAll String.prototype.replaceAll
  String.prototype.toWellFormed URL.canParse URL.parse queueMicrotask requestIdleCallback structuredClone`.split(
  /\s+/,
);

/** The sentence of a kind in a language. */
function sentence(kind: 'too-old' | 'failed', lang: string): string {
  const found = new RegExp(`<p class="${kind}" lang="${lang}" hidden>([^<]+)</p>`).exec(
    HTML.replaceAll(/\s+/g, ' '),
  );
  return found?.[1]?.trim() ?? assert.fail(`no sentence in ${lang}`);
}

describe('the script that old browsers read', () => {
  test('has the syntax of 2009', () => {
    const later: string[] = [];
    const note = ({ type }: { readonly type: string }) => later.push(type);
    new Visitor({
      VariableDeclaration: (node) => node.kind === 'var' || note(node),
      ArrowFunctionExpression: note,
      TemplateLiteral: note,
      ClassDeclaration: note,
      SpreadElement: note,
      ForOfStatement: note,
      ChainExpression: note,
      ObjectPattern: note,
      ArrayPattern: note,
      AssignmentPattern: note,
      Property: (node) => (node.shorthand || node.computed || node.method ? note(node) : undefined),
      CatchClause: (node) => node.param ?? note(node),
      LogicalExpression: (node) => node.operator !== '??' || note(node),
    }).visit(parseSync('starting.js', SCRIPT, { sourceType: 'script' }).program);
    assert.deepEqual(later, []);
    assert.doesNotMatch(SCRIPT, /,\s*\)/);
  });

  test('knows the scripts of every language and of every page, which it requests early', () => {
    const page = readFileSync(join(ROOT, 'console/dist/index.html'), 'utf8');
    const early = [...page.matchAll(/ data-(\w+)="([^"]+)"/g)].map(([, part, files = '']) => ({
      part,
      files,
    }));
    const pages = ['activity', 'list', 'notifications', 'overview', 'sign'];
    assert.deepEqual(new Set(early.map(({ part }) => part)), new Set(['de', 'es', 'fr', 'pt', ...pages]));
    const [, font = ''] = /rel="preload" href="\.\/(assets\/[^"]+\.woff2)"/.exec(page) ?? [];
    assert.notEqual(font, '');
    for (const path of [...early.flatMap(({ files }) => files.split(' ')), font])
      assert.ok(existsSync(join(ROOT, 'console/dist', path)), path);
  });

  test('looks for whatever recent the console and its libraries use', () => {
    const built = join(ROOT, 'console/dist/assets');
    const sources = readdirSync(built)
      .filter((name) => /(?<!starting-.*)\.js$/.test(name))
      .map((name) => readFileSync(join(built, name), 'utf8'))
      .join('\n');
    const used = RECENT.filter((name) => {
      const [, method] = /\.prototype\.(\w+)$/.exec(name) ?? [];
      const called = method === undefined ? `\\b${name.replace('.', '\\.')}\\b` : `\\.${method}\\(`;
      return new RegExp(called).test(sources);
    });
    assert.ok(used.length > 5);
    assert.deepEqual(
      used.filter((name) => !NEEDED.includes(name)),
      [],
    );
  });
});

const REFUSED = `
  const refuse = () => { throw new DOMException('The operation is insecure.', 'SecurityError'); };
  for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches', 'cookieStore'])
    Object.defineProperty(window, name, { get: refuse });
  Object.defineProperty(Document.prototype, 'cookie', { get: refuse, set: refuse });
  window.BroadcastChannel = class { constructor() { refuse(); } };`;
/** What is done to a browser in which the console works nevertheless. */
const POOR = {
  'blocks cookies, and so all storage': REFUSED,
  'has no room for storage': `Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); };`,
  'has nothing that needs TLS': `
    for (const name of ['clipboard', 'locks', 'serviceWorker', 'storage', 'credentials'])
      delete Navigator.prototype[name];
    delete Crypto.prototype.randomUUID;
    delete Crypto.prototype.subtle;`,
  'is of 2024': `
    const lacking = [Promise, 'withResolvers', Promise, 'try', AbortSignal, 'timeout', Object, 'groupBy', URL, 'parse',
      URLSearchParams.prototype, 'size', Array, 'fromAsync', window, 'Iterator', window, 'BroadcastChannel', window,
      'requestIdleCallback', window, 'structuredClone', window, 'reportError', window, 'navigation', window,
      'scheduler', Document.prototype, 'startViewTransition', Intl, 'DurationFormat', Intl, 'Segmenter'];
    for (let i = 0; i < lacking.length; i += 2) delete lacking[i][lacking[i + 1]];`,
};

describe('the console in a browser that', { skip: process.env['CI'] === 'true' ? false : NO_BROWSER }, () => {
  let server: DemoServer;
  let browser: Browser;
  let token: string;
  before(async () => {
    [server, browser] = await Promise.all([DemoServer.open('--rate-limit', '0'), openBrowser()]);
    token = await server.sampleToken(SMALL_FIRM);
  });
  after(async () => {
    await browser?.close();
    await server?.remove();
  });

  /** @returns what went wrong in scripts */
  async function withPage(
    script: string,
    use: (page: Page) => Promise<void>,
    options: BrowserContextOptions = {},
  ): Promise<string[]> {
    const context = await browser.newContext({ locale: 'en-GB', ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    const wrong: string[] = [];
    context.on('weberror', (error) => wrong.push(error.error().message));
    try {
      await context.addInitScript(script);
      await use(await context.newPage());
    } finally {
      await context.close();
    }
    return wrong;
  }

  for (const [what, script] of Object.entries(POOR)) {
    test(`${what} works`, async () => {
      const wrong = await withPage(script, async (page) => {
        await page.goto(`${server.origin}${NUMBERS}#token=${token}`);
        await total(page, TOTAL);
        await page.locator('.row-link').first().click();
        await page.getByRole('dialog').getByTitle('Copy Number', { exact: true }).click();
        await page.getByRole('dialog').getByText(texts.copied).waitFor({ state: 'attached' });
        await page.keyboard.press('Escape');
        for (const name of ['Additional services', texts.overview.title, texts.activity.title])
          await page.getByRole('navigation').getByRole('link', { name }).click();
        await page.getByText(/^Complete since/).waitFor();
        await page.getByRole('button', { name: texts.menu }).click();
        await page.getByRole('menuitemradio', { name: texts.themes.dark }).click();
        await page.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' });
      });
      assert.deepEqual(wrong, []);
    });
  }

  test('stores nothing has another language nevertheless', async () => {
    const wrong = await withPage(REFUSED, async (page) => {
      await page.goto(server.origin + SERVICES);
      await page.getByLabel(texts.language, { exact: true }).selectOption('de');
      await page.getByText(de.signIn.title).waitFor();
      assert.equal(page.url(), server.origin + SERVICES);
    });
    assert.deepEqual(wrong, []);
  });

  test('is too old says so on the page, whatever it lacks', async () => {
    assert.ok(NEEDED.length > 10);
    const lack = `
      const path = (new URLSearchParams(location.search).get('lack') ?? '').split('.');
      const last = path.pop();
      const of = path.reduce((at, name) => at[name], window);
      if (last !== '') delete of[last];`;
    await withPage(
      lack,
      async (page) => {
        for (const name of NEEDED) {
          await page.goto(`${server.origin}${NUMBERS}?lack=${name}#token=${token}`);
          await page.getByText(sentence('too-old', 'fr'), { exact: true }).waitFor();
          assert.equal(await page.locator('#console > *').count(), 0, name);
          assert.equal(await page.evaluate('document.URL'), `${server.origin}${NUMBERS}?lack=${name}`);
        }
      },
      { locale: 'fr-CA' },
    );
    const old = `CSS.supports = () => false;`;
    for (const lang of ['en', 'de', 'es', 'fr', 'pt-BR'])
      await withPage(old, async (page) => {
        await page.goto(`${server.origin}${NUMBERS}?lang=${lang}`);
        await page.getByText(sentence('too-old', lang), { exact: true }).waitFor();
        assert.equal(await page.locator('html').getAttribute('lang'), lang);
      });
  });

  test('cannot start it says so on the page: a script that is missing, broken, or too new', async () => {
    const bodies = [undefined, '}', 'throw new Error("wrong")', 'await Promise.reject(new Error("wrong"))'];
    for (const body of bodies)
      await withPage(
        '',
        async (page) => {
          await page.route('**/assets/index-*.js', (route) =>
            body === undefined ? route.abort() : route.fulfill({ contentType: 'text/javascript', body }),
          );
          await page.goto(server.origin + NUMBERS);
          await page.getByText(sentence('failed', 'de'), { exact: true }).waitFor();
        },
        { locale: 'de-AT' },
      );
  });
});
