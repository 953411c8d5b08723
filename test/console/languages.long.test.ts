// The languages of the console: nothing of a translation is missing, no text is written into a component, and
// a page is in the language that the address, the menu or the browser names. All pages are read by
// views.long.test.ts.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parseSync, Visitor } from 'oxc-parser';
import type { Page } from 'playwright-core';
import { CHECK_FAULTS } from '../../api/check/check-faults.ts';
import { lists } from '../../api/contract/contract.ts';
import { fieldLabel, type Language } from '../../api/contract/labels.ts';
import type { List } from '../../api/contract/list.ts';
import { texts as de } from '../../console/texts/de.ts';
import { texts as en, type Texts } from '../../console/texts/en.ts';
import { texts as es } from '../../console/texts/es.ts';
import { texts as fr } from '../../console/texts/fr.ts';
import { texts as pt } from '../../console/texts/pt-br.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { NUMBERS, Visits } from '../kit/console-visits.ts';
import { filesBelow, ROOT } from '../repository/sources.ts';

const TRANSLATIONS: Readonly<Record<string, Texts>> = { de, es, fr, 'pt-BR': pt };
const contractLists: readonly List[] = Object.values(lists);

/** Each text by its path, such as `table.next`; a function is called with `a`, `b`, … */
function leaves(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function')
    return [[path, String((value as (...given: string[]) => unknown)('a', 'b', 'c'))]];
  return Object.entries(value as object).flatMap(([name, one]) =>
    leaves(one, path === '' ? name : `${path}.${name}`),
  );
}

const english = new Map(leaves(en));

describe('a translation', () => {
  for (const [language, texts] of Object.entries(TRANSLATIONS)) {
    const own = leaves(texts);

    test(`into ${language} names every list and field of the contract, and says what each field means`, () => {
      for (const { name, fields } of contractLists) {
        assert.ok(texts.lists[name], name);
        const labels = Object.keys(fields).map((field) => {
          assert.ok(texts.about[field], field);
          return fieldLabel(language as Language, field);
        });
        assert.ok(
          labels.every((label, i) => label !== Object.keys(fields)[i]),
          name,
        );
        assert.equal(new Set(labels).size, labels.length, name);
      }
    });

    test(`into ${language} says whatever may be wrong with a file that is checked`, () => {
      const places = (text = '') => text.match(/\{[^}]*\}/g)?.toSorted() ?? [];
      assert.deepEqual(Object.keys(texts.checkFaults).toSorted(), Object.keys(CHECK_FAULTS).toSorted());
      for (const [kind, sentence] of Object.entries(CHECK_FAULTS))
        assert.deepEqual(places(texts.checkFaults[kind]), places(sentence), kind);
    });

    test(`into ${language} has no sentence that is still English`, () => {
      const same = own.filter(
        ([path, text]) => /\p{L}{2,} \p{L}{2,}/u.test(text) && english.get(path) === text,
      );
      assert.deepEqual(same, []);
    });

    test(`into ${language} has the number of every text with a number`, () => {
      for (const [path, text] of own) {
        const form = english.get(path) ?? english.get(path.replace(/\.many$/, '.other'));
        if (form !== undefined) assert.equal(text.split('#').length, form.split('#').length, path);
      }
    });
  }

  test('into French has a no-break space before every mark that needs one', () => {
    for (const [path, text] of leaves(fr))
      assert.doesNotMatch(text, /[^\u00a0\d][:;!?»](?:\s|$)|«[^\u00a0]/, path);
  });
});

/** Attributes that people read or hear. */
const READ = /^(?:aria-label|aria-valuetext|aria-roledescription|title|placeholder|label|description|alt)$/;
/** Attributes and calls whose text is for the machine. */
const OF_MACHINE = /^(?:className|style|d|viewBox|content|href|src|name|sizes|media)$/;
const WORDS = /\p{L}{2,}[ ,:]+\p{L}{2,}/u;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** Texts that a reader would see and that are not in the files of texts. */
function literalsOf(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const found: string[] = [];
  const skipped: Node[] = [];
  const candidates: (Node & { readonly text: string })[] = [];
  const name = (node: { readonly name: unknown }) => String((node.name as { readonly name?: unknown }).name);
  new Visitor({
    JSXText: ({ value }) => {
      if (/\p{L}/u.test(value)) found.push(`${path}: ${value.trim()}`);
    },
    JSXAttribute: (node) => {
      const { value } = node;
      if (OF_MACHINE.test(name(node))) skipped.push(node);
      else if (READ.test(name(node)) && value?.type === 'Literal' && /\p{L}/u.test(String(value.value)))
        found.push(`${path}: ${String(value.value)}`);
    },
    NewExpression: (node) => {
      // Errors for developers, and patterns.
      if (node.callee.type === 'Identifier' && /^(?:Error|RegExp)$/.test(node.callee.name))
        skipped.push(node);
    },
    Literal: (node) => {
      if (typeof node.value === 'string') candidates.push({ ...node, text: node.value });
    },
    TemplateElement: (node) => {
      candidates.push({ ...node, text: node.value.raw });
    },
  }).visit(parseSync(path, text).program);
  const isSkipped = ({ start, end }: Node) => skipped.some((one) => one.start <= start && end <= one.end);
  return [
    ...found,
    ...candidates
      .filter((one) => WORDS.test(one.text) && !isSkipped(one))
      .map((one) => `${path}: ${one.text}`),
  ];
}

/** Not for readers. */
const NOT_READ = [
  'console/list/cards.tsx: screen and (max-width: 55rem)',
  'console/shell/keys.ts: input:not([type=checkbox], [type=radio]), textarea, select, [role=slider], [role=menu]',
  'console/list/menus.tsx: YYYY-MM-DDThh:mm:ss',
  'console/list/table.tsx: a, button, input',
  'console/list/toolbar.tsx: .rows :is(.row-link, .card-link)',
  'console/shell/shell.tsx: .search input',
  'console/shell/focus.ts: a[href], button:not(:disabled), input:not(:disabled), select, [tabindex="0"]',
  'console/shell/side.tsx: [role=menu], [role=dialog], [role=slider], [aria-expanded=true], input:not([type=checkbox]), select',
];
/** What builds it, the texts, and the programs that a customer copies. */
const NOT_OF_READERS = /^console\/(?:build\.ts$|texts\/|export\/download\.ts$)/;

describe('a component', () => {
  test('has no text of its own', () => {
    const files = filesBelow('console').filter((path) => /\.tsx?$/.test(path) && !NOT_OF_READERS.test(path));
    assert.ok(files.length > 30);
    const strayed = files.flatMap(literalsOf).filter((one) => !NOT_READ.includes(one));
    assert.deepEqual(strayed, []);
  });
});

describe('the console in other languages', {
  skip: process.env['CI'] === 'true' ? false : NO_BROWSER,
}, () => {
  let visits: Visits;
  before(async () => {
    visits = await Visits.start();
  });
  after(() => visits?.end());

  const lang = (page: Page) => page.locator('html').getAttribute('lang');
  const overview = (page: Page) => page.locator('.overview-sentence').waitFor();

  test('numbers, money and dates are as the language writes them', async () => {
    await visits.visit({ path: '/', locale: 'de-DE' }, async (page) => {
      await overview(page);
      assert.match((await page.locator('.overview-sentence').textContent()) ?? '', /\d,\d\d\s€/);
    });
  });

  test('the address chooses one, which lasts; the menu chooses another', async () => {
    await visits.visit({ path: `${NUMBERS}?lang=fr&country_codes=DE` }, async (page) => {
      await page.getByRole('link', { name: fr.filters.remove(fr.labelled('Pays', 'Allemagne')) }).waitFor();
      assert.equal(new URL(page.url()).search, '?country_codes=DE');
      await page.reload();
      await page.getByRole('button', { name: fr.table.columns }).waitFor();
      assert.equal(await lang(page), 'fr');
      await page.getByRole('button', { name: fr.menu }).click();
      await page.getByRole('menuitemradio', { name: 'Português (Brasil)' }).click();
      await page.getByRole('button', { name: pt.table.columns }).waitFor();
      assert.equal(await lang(page), 'pt-BR');
      assert.equal(new URL(page.url()).search, '?country_codes=DE');
    });
  });

  test('a file that cannot be checked is refused in the language of the reader, and so is a line', async () => {
    await visits.visit({ path: `${NUMBERS}?lang=de` }, async (page) => {
      await page.locator('.toolbar button:not([inert])', { hasText: de.check.label }).click();
      const panel = page.getByRole('dialog', { name: de.check.label });
      const check = async (text: string) => {
        await panel.getByLabel(de.check.paste).fill(text);
        await panel.getByRole('button', { name: de.check.go, exact: true }).click();
      };
      await check('a,b\n+442079460000,+442079460001');
      await panel.getByText('Die Rufnummern können in "a" oder "b" stehen. Wählen Sie die Spalte.').waitFor();
      const lines = Array.from({ length: 19 }, (_, i) => `+4420794600${i + 10}`);
      await check([...lines, '00442079460000123456789'].join('\n'));
      await panel.getByText('Sie hat 21 Ziffern, und eine Rufnummer hat höchstens 15').waitFor();
    });
  });

  test('an address that asks for what does not exist says which part of it, before the reason in English', () =>
    visits.visit(
      { path: `${NUMBERS}?status=active&country_codes=Germany`, locale: 'de-DE' },
      async (page) => {
        await page.getByText(de.trouble.invalid).waitFor();
        const wrong = page.locator('.trouble li');
        assert.deepEqual(await wrong.locator('strong').allTextContents(), [
          'status',
          'country_codes=Germany',
        ]);
        assert.equal(await wrong.locator('[lang=en]').count(), 2);
      },
    ));

  test('a reader who is not signed in chooses there', async () => {
    await visits.visit({ token: '', locale: 'es-MX' }, async (page) => {
      await page.getByText(es.signIn.title).waitFor();
      assert.equal(await lang(page), 'es');
      await page.getByLabel(es.language, { exact: true }).selectOption('de');
      await page.getByText(de.signIn.title).waitFor();
      assert.equal(await lang(page), 'de');
    });
  });

  test('a language that there is not leads to the next that the browser names, else to English', async () => {
    await visits.visit({ path: `${NUMBERS}?lang=nl`, locale: 'nl-NL' }, async (page) => {
      await page.getByRole('button', { name: en.table.columns }).waitFor();
      assert.equal(await lang(page), 'en');
      assert.equal(new URL(page.url()).search, '');
    });
  });

  test('a language that cannot be loaded is English', async () => {
    const prepare = (page: Page) => page.route('**/assets/de-*.js', (route) => route.abort());
    await visits.visit({ locale: 'de', prepare }, async (page) => {
      await page.getByRole('button', { name: en.table.columns }).waitFor();
      assert.equal(await lang(page), 'en');
    });
  });
});
