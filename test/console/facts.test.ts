// What the console is made of, without a browser: it says what the contract says, its addresses keep what
// they are given, its files are small and are served as they should be.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ACTIVITY_EVENTS, activity } from '../../api/contract/activity.ts';
import { lists as contract } from '../../api/contract/contract.ts';
import { facetFilters } from '../../api/contract/facets.ts';
import { fieldLabels } from '../../api/contract/labels.ts';
import type { Field, List } from '../../api/contract/list.ts';
import { WEBHOOK_EVENTS } from '../../api/contract/webhooks.ts';
import {
  activityList,
  EMPTY_VIEW,
  type FilterFacts,
  type ListFacts,
  lists,
  listsSeen,
  writeView,
} from '../../console/contract.ts';
import { hasWords, isRowFound, isValueFound } from '../../console/filters/found.ts';
import { filterTexts, presetsOf, withRange } from '../../console/filters/presets.ts';
import { filterText } from '../../console/filters/words.ts';
import { chargeTyped, shownCharge, shownSum, withHyphen } from '../../console/format.ts';
import { columnsOf, usualColumns, withColumn } from '../../console/list/columns.ts';
import { readView } from '../../console/reading.ts';
import { texts as german } from '../../console/texts/de.ts';
import { texts as english } from '../../console/texts/en.ts';
import { texts as spanish } from '../../console/texts/es.ts';
import { texts as french } from '../../console/texts/fr.ts';
import { texts as portuguese } from '../../console/texts/pt-br.ts';
import { texts } from '../../console/texts.ts';
import { CLOSING, localDays, OPENING, shownTime, utcDays } from '../../console/times.ts';
import {
  activeFilters,
  changedRows,
  isSameOrder,
  oppositeOf,
  sortOf,
  withFilter,
  withNewValues,
  withoutFilters,
  withPageSize,
  withSearch,
  withSort,
  withToggled,
} from '../../console/view.ts';
import {
  billedLabel,
  eventTones,
  fieldLabel,
  flagTones,
  moneyFields,
  pictured,
  valueLabel,
  valueTones,
} from '../../console/words.ts';
import { consoleRoutes, isConsolePath } from '../../server/http/console.ts';
import type { Declared } from '../../server/store/lists/own-fields.ts';
import { HARD_NUMBERS, HARD_TEXTS, hardRows } from '../kit/hard-rows.ts';
import { Model, modelLists } from '../kit/model.ts';

const DIST = join(import.meta.dirname, '..', '..', 'console', 'dist');
/** JavaScript that the browser must have before it shows a page, compressed with gzip. */
const LEAST_BYTES = 50_000;
const FIRST_LOADS = [
  { what: 'the sign-in', chunk: 'shell/sign-in.tsx', name: 'sign', most: 90_000 },
  { what: 'the overview', chunk: 'overview/overview.tsx', name: 'overview', most: 91_000 },
  { what: 'a list', chunk: 'list/list-page.tsx', name: 'list', most: 124_000 },
];

const contractLists: readonly List[] = Object.values(contract);
const fieldsOf = (list: List) => Object.keys(list.fields);
const allFields = new Set([...contractLists, activity].flatMap(fieldsOf));
const numbers = lists.find(({ name }) => name === 'virtual_numbers') as ListFacts;

describe('what is typed finds what the search of the contract finds', () => {
  const providers = numbers.filters.find(({ name }) => name === 'providers') as FilterFacts;

  for (const [label, ...typings] of [
    ['Provider: ΟΔΟΣΑ', 'ΟΔΟΣ', 'οδος', 'οδοσ', 'provider οδος'],
    ['Οδός ΘΗΒΑΣ', 'Θηβας', 'ΟΔΌΣ', 'θηβασ'],
    ['İstanbul Telekom', 'İstan', 'i\u0307stanbul', 'TELE'],
    ['\u1e96ost', 'H\u0331O', '\u1e96'],
    ['ﬁne ＶＰＮ', 'FINE', 'vpn'],
  ] as const) {
    test(`${typings.join(', ')}: ${label}, in the palette and in the values of a filter`, () => {
      for (const typed of typings) {
        assert.ok(hasWords(label, typed), typed);
        assert.ok(isValueFound(providers, label, typed.replace(/^provider /, '')), typed);
      }
    });
  }

  test('every text of the palette finds itself, whatever is between its words', () => {
    const languages = [english, german, spanish, french, portuguese];
    for (const { check, export: files, copyAs, compare, palette, filters } of languages) {
      const labels = [
        ...[check.label, files.csv, files.xlsx, copyAs.link, compare.openBy(check.number)],
        ...[palette.goTo(check.label), `${filters.active}: ${filters.clear}`],
      ];
      for (const label of labels) assert.ok(hasWords(label, label), label);
    }
    assert.equal(hasWords('Export: CSV (.csv)', ':'), false);
  });

  test('another word finds nothing', () => {
    assert.equal(hasWords('Provider: ΟΔΟΣ', 'ΟΔΟΣΑ'), false);
    assert.equal(isValueFound(providers, 'ΟΔΟΣ', 'ΟΔΟΣΑ'), false);
  });

  for (const [i, list] of modelLists.entries()) {
    test(`items of ${list.name} that the palette has already`, () => {
      const rows = hardRows[list.name]
        .filter((row) => Object.entries(list.only).every(([field, value]) => row[field] === value))
        .slice(0, 100)
        .map((row) => ({ ...row, account_id: 'one' }));
      const model = new Model({ virtual_numbers: [], additional_services: [], [list.name]: rows });
      const facts = lists[i] as ListFacts;
      for (const typed of [...HARD_TEXTS, ...HARD_NUMBERS]) {
        const expected = model.expect(list, 'one', `page_size=100&q=${encodeURIComponent(typed)}`);
        if (expected.status === 400 || typed.trim() === '') continue;
        const found = rows.filter((row) => isRowFound(facts, row, typed)).map(({ id }) => id);
        assert.deepEqual(new Set(found), new Set(expected.ids), typed);
      }
    });
  }
});

describe('the console says what the contract says', () => {
  test('every list with every field, filter and sort key', () => {
    assert.deepEqual(
      lists.map(({ name, path, title }) => [name, path, title]),
      contractLists.map(({ name, path, title }) => [name, path, title]),
    );
    for (const [i, list] of contractLists.entries()) {
      assert.deepEqual(
        lists[i]?.fields.map(({ name }) => name),
        fieldsOf(list),
      );
      assert.deepEqual(
        lists[i]?.filters.map(({ name }) => name),
        Object.keys(list.filters),
      );
      for (const { name, sortKey } of lists[i]?.fields ?? []) {
        if (sortKey === undefined) assert.ok(!Object.values(list.sorts).includes(name), name);
        else assert.equal(list.sorts[sortKey], name);
      }
    }
  });

  test('every filter has a control: counted values, a span of time, or values to type', () => {
    for (const [i, list] of contractLists.entries()) {
      for (const { name, test: how, field, isFacet } of lists[i]?.filters ?? []) {
        assert.equal(isFacet, facetFilters(list).includes(name), name);
        if (field.kind === 'timestamp') assert.ok([...OPENING, ...CLOSING, 'set'].includes(how), name);
        else if (!isFacet) assert.ok(['any', 'none', 'min', 'max', 'first', 'last'].includes(how), name);
      }
    }
  });

  test('nicer words are only for names that there are', () => {
    for (const name of [fieldLabels('en'), texts.flags, texts.marks, flagTones].flatMap((words) =>
      Object.keys(words),
    )) {
      assert.ok(allFields.has(name), name);
    }
    const filters = contractLists.flatMap((list) => Object.keys(list.filters));
    for (const name of pictured) assert.ok(filters.includes(name), name);
    for (const name of moneyFields) assert.ok(allFields.has(name), name);
    for (const name of Object.keys(eventTones)) assert.ok(name in ACTIVITY_EVENTS, name);
  });

  test('every event has words, and belongs to the lists that can have it', () => {
    const events = new Set([...Object.keys(ACTIVITY_EVENTS), ...Object.keys(WEBHOOK_EVENTS), 'test']);
    assert.deepEqual(Object.keys(texts.events).toSorted(), [...events].toSorted());
    for (const list of lists) {
      assert.deepEqual(
        list.events.includes('spam_flagged'),
        list.fields.some(({ name }) => name === 'is_spammed'),
      );
      assert.ok(['added', 'removed', 'changed', 'replaced'].every((event) => list.events.includes(event)));
    }
    const [seen] = listsSeen(['virtual_numbers'], false);
    assert.equal(seen?.events.includes('charges_changed'), false);
  });

  test('an abbreviation in the title of a field stays as it is within a sentence, in every language', () => {
    for (const words of [english, spanish, french, portuguese])
      for (const [title, within] of [
        ['SIP trunk', 'SIP trunk'],
        ['SMS', 'SMS'],
        ['Last call', 'last call'],
        ['Über uns', 'über uns'],
      ] as const) {
        assert.ok(words.palette.sort(title).endsWith(` ${within}`), title);
        assert.ok(words.compare.title('X', title).endsWith(` ${within}`), title);
      }
    assert.equal(english.search.placeholder('Number, SMS, Site'), 'Search number, SMS, site');
  });

  test('each value that the contract names has a word of its own', () => {
    const fields = contractLists.flatMap((list) => Object.values<Field>(list.fields));
    const known = new Set(fields.flatMap((field) => field.known ?? []));
    assert.deepEqual(new Set(Object.keys(english.values)), known);
  });

  test('no two fields of a list are called the same, and a new one reads well', () => {
    for (const list of contractLists) {
      const labels = fieldsOf(list).map(fieldLabel);
      assert.equal(new Set(labels).size, labels.length);
    }
    assert.equal(fieldLabel('ported_away_at'), 'Ported away');
    assert.equal(fieldLabel('is_recorded'), 'Recorded');
    assert.equal(valueLabel('waiting_for_papers'), 'Waiting for papers');
    assert.equal(valueLabel('one_time'), 'One-time');
    assert.equal(valueLabel('SIP-Trunk'), 'SIP-Trunk');
  });
});

describe('money', () => {
  test('that is owed to the customer has a minus, which no file and no copy has', () => {
    for (const [shown, copied] of [
      [shownSum(-37.25, 'EUR'), '-€37.25'],
      [shownCharge(-0.0125, undefined), '-0.0125'],
      [shownSum(-1_234_567.89, 'CHF'), '-CHF\u00a01,234,567.89'],
    ] as const) {
      assert.equal(shown, copied.replace('-', '\u2212'));
      assert.equal(withHyphen(shown), copied);
    }
    assert.equal(withHyphen('desk − 2nd floor, −'), 'desk − 2nd floor, −');
  });

  test('of a filter is in the currency of the account', () => {
    const filter = numbers.filters.find(({ name }) => name === 'monthly_min');
    assert.ok(filter);
    assert.match(filterText(filter, 2.5, 'EUR'), /€2\.50 or more$/);
    assert.match(filterText(filter, 2.5, undefined), / 2\.50 or more$/);
  });

  test('says of a flag what it is about, where nothing next to it does', () => {
    const said = ['is_spammed', 'is_active_spam_check'].flatMap((name) => {
      const filter = numbers.filters.find((one) => one.name === name);
      return filter === undefined ? [] : [true, false].map((value) => filterText(filter, value, undefined));
    });
    assert.deepEqual(said, [
      'Flagged as spam',
      'Spam flag: Not flagged',
      'Spam check: Checked',
      'Spam check: Not checked',
    ]);
  });

  test('says after the price a month how it is billed', () => {
    const said = ['monthly', 'quarterly', 'yearly', 'one_time', 'SIP-Trunk'].map(billedLabel);
    assert.deepEqual(said, ['monthly', 'billed quarterly', 'billed yearly', 'one-time', 'billed SIP-Trunk']);
  });

  test('is not due for what has ended, which looks otherwise than what is off', () => {
    assert.notEqual(valueTones.get('cancelled'), valueTones.get('disabled'));
    assert.notEqual(valueTones.get('released'), valueTones.get('disabled'));
  });
});

describe('an address keeps its view', () => {
  const addresses = [
    '',
    'country_codes=DE&country_codes=GB',
    'providers[]=Zed%2C%20Inc',
    'is_spammed=false&q=%2B44%20(0)20',
    'q=12345678901234567890',
    'q=00044',
    'dids=442079460018&dids=442079460019',
    'next_payment_after=2026-11-22T22%3A59%3A59.999999Z',
    'sort_by=monthly&sort_order=desc&page=7&page_size=100',
    'ids=41007&fields=did&fields=provider',
    'monthly_min=2.5&has_next_payment=false&incoming_max=0&statuses_exclude=released',
  ];
  for (const address of addresses) {
    test(`?${address}`, () => assert.equal(writeView(readView(numbers, address)), address));
  }

  test('one of what happened as well', () => {
    const address = 'lists=virtual_numbers&events=added&events=spam_flagged&ids=7';
    assert.equal(writeView(readView(activityList, address)), address);
    assert.throws(() => readView(activityList, 'page=2'), /page is not allowed here/);
  });

  test('one that asks for what does not exist is refused', () => {
    assert.throws(() => readView(numbers, 'status=active'), /Did you mean `statuses`/);
    assert.throws(() => readView(numbers, 'page=0'), /page must be/);
  });
});

describe('a view leads to others', () => {
  const statuses = numbers.filters.find(({ name }) => name === 'statuses');
  assert.ok(statuses);

  test('values are switched on and off, from the first page, in the order of the contract', () => {
    const start = { ...EMPTY_VIEW, page: 4, q: 'desk' };
    const one = withToggled(numbers, start, statuses, 'active');
    const two = withFilter(numbers, withToggled(numbers, one, statuses, 'blocked'), 'ids', [7]);
    assert.equal(writeView(two), 'ids=7&statuses=active&statuses=blocked&q=desk');
    assert.deepEqual(
      activeFilters(numbers, two).map(({ value }) => value),
      [7, 'active', 'blocked'],
    );
    assert.equal(writeView(withToggled(numbers, one, statuses, 'active')), 'q=desk');
    assert.equal(writeView(withoutFilters(two)), '');
  });

  test('a value is chosen, excluded, or neither, and what excludes it has the same field', () => {
    const exclusion = oppositeOf(numbers, statuses);
    assert.equal(exclusion?.name, 'statuses_exclude');
    const chosen = withToggled(numbers, EMPTY_VIEW, statuses, 'active');
    const excluded = withToggled(
      numbers,
      withToggled(numbers, chosen, statuses, 'blocked'),
      exclusion,
      'active',
    );
    assert.deepEqual(excluded.filters, { statuses: ['blocked'], statuses_exclude: ['active'] });
    const again = withToggled(numbers, excluded, statuses, 'active');
    assert.deepEqual(again.filters, { statuses: ['blocked', 'active'] });
  });

  test('each filter is removed by itself, whatever it compares, and says which field it is on', () => {
    const known: Readonly<Record<string, string>> = { dids: '442079460018', country_codes: 'GB' };
    const byKind = {
      charge: '2.5',
      flag: 'true',
      timestamp: '2026-11-01T00:00:00Z',
      integer: '7',
      text: '44',
    };
    for (const list of lists)
      for (const { name, field, test: how } of list.filters) {
        const value = how === 'set' ? 'false' : (known[name.replace('_exclude', '')] ?? byKind[field.kind]);
        const view = readView(list, `${name}=${value}&q=desk`);
        const [active, ...others] = activeFilters(list, view);
        assert.ok(active !== undefined && others.length === 0, name);
        assert.equal(writeView(withToggled(list, view, active.filter, active.value)), 'q=desk', name);
        const text = filterText(active.filter, active.value, undefined);
        if (how !== 'is' && how !== 'any') assert.ok(text.startsWith(fieldLabel(field.name)), text);
      }
  });

  test('a range of time that a preset has is called as that, while it is that', (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-29T12:00:00Z') });
    for (const list of lists)
      for (const field of list.fields.filter(({ kind }) => kind === 'timestamp'))
        for (const { label, bounds } of presetsOf(list, field)) {
          const view = withRange(list, EMPTY_VIEW, field, bounds);
          assert.deepEqual(filterTexts(list, view, undefined), [`${fieldLabel(field)}: ${label}`]);
        }
    const dueAt = (bounds: string) => filterTexts(numbers, readView(numbers, bounds), undefined);
    assert.deepEqual(dueAt('next_payment_before=2026-11-28'), ['Next payment: up to Nov 27, 2026']);
    const [days, ...others] = dueAt('next_payment_from=2026-11-28&next_payment_to=2026-11-30');
    assert.match(String(days), /^Next payment: Nov 28\s–\s30, 2026$/);
    assert.equal(others.length, 0);
  });

  test('charges are typed with the sign of the language, and no filter bounds those that a token hides', () => {
    assert.deepEqual(['2.5', '2,5'].map(chargeTyped), ['2.5', '2,5']);
    const [seen] = listsSeen([numbers.name], false);
    assert.ok(numbers.filters.some(({ name }) => name === 'monthly_min'));
    assert.ok(seen?.filters.every(({ field }) => field.kind !== 'charge'));
  });

  test('of several numbers that are typed, one is taken away by itself', () => {
    const dids = numbers.filters.find(({ field }) => field.isNumber);
    assert.ok(dids);
    const both = withFilter(numbers, EMPTY_VIEW, dids.name, ['442079460018', '442079460019']);
    const one = withToggled(numbers, both, dids, '442079460018');
    assert.deepEqual(one.filters, { [dids.name]: ['442079460019'] });
  });

  test('a search for more than the contract takes is for the beginning of it', () => {
    const searched = withSearch(EMPTY_VIEW, ` ${'📞'.repeat(300)} `);
    assert.equal(searched.q, '📞'.repeat(200));
    assert.deepEqual(readView(numbers, writeView(searched)), searched);
  });

  test('a heading sorts up, down, and not at all', () => {
    const up = withSort(numbers, EMPTY_VIEW, 'did');
    const down = withSort(numbers, up, 'did');
    assert.deepEqual([up, down, withSort(numbers, down, 'did')].map(writeView), [
      'sort_by=did',
      'sort_by=did&sort_order=desc',
      '',
    ]);
  });

  test('a heading that gives the usual order says so, and turns it round', () => {
    assert.equal(sortOf(numbers, EMPTY_VIEW), 'id');
    const down = withSort(numbers, EMPTY_VIEW, 'id');
    const other = withSort(numbers, EMPTY_VIEW, 'did');
    assert.deepEqual([down, withSort(numbers, down, 'id'), withSort(numbers, other, 'id')].map(writeView), [
      'sort_by=id&sort_order=desc',
      '',
      'sort_by=id',
    ]);
  });

  test('another page size keeps the first row in sight', () => {
    assert.equal(withPageSize({ ...EMPTY_VIEW, page: 5 }, 10).page, 11);
    assert.equal(withPageSize({ ...EMPTY_VIEW, page: 11, pageSize: 10 }, 100).page, 2);
  });

  test('the usual columns leave no trace', () => {
    const fewer = withColumn(numbers, EMPTY_VIEW, 'comment', false);
    assert.ok(!columnsOf(numbers, fewer).some(({ name }) => name === 'comment'));
    assert.equal(withColumn(numbers, fewer, 'comment', true).columns, undefined);
    assert.ok(usualColumns(numbers).includes('next_payment_at'));
  });

  test('a year counts when it is over: three and a half are three', () => {
    const ago = (years: number, days: number) => {
      const date = new Date();
      date.setUTCHours(12);
      date.setUTCFullYear(date.getUTCFullYear() - years);
      return shownTime(new Date(date.getTime() - days * 86_400_000).toISOString()).relative;
    };
    assert.equal(ago(3, 200), '3 years ago');
    for (const years of [2, 3, 4, 10, 40]) assert.equal(ago(years, 0), `${years} years ago`);
  });

  test('a day is a whole day, whichever way a filter compares', () => {
    for (const { boundOf, dayOfBound } of [localDays, utcDays]) {
      for (const how of [...OPENING, ...CLOSING]) {
        assert.equal(dayOfBound(how, boundOf(how, '2026-03-29')), '2026-03-29', how);
        assert.equal(dayOfBound(how, '2026-03-29T12:00:00.000001Z'), undefined, how);
      }
      assert.match(boundOf('to', '2026-12-31'), /:59\.999999Z$/);
    }
  });

  test('rows that changed are distinguished from rows that came, went or moved', () => {
    const before = [
      { id: 1, did: 'a' },
      { id: 2, did: 'b' },
    ];
    const after = [
      { id: 1, did: 'a' },
      { id: 2, did: 'c' },
    ];
    assert.deepEqual([...changedRows(before, after)], [2]);
    assert.ok(isSameOrder(before, after));
    assert.ok(!isSameOrder(before, after.toReversed()));
    assert.ok(!isSameOrder(before, after.slice(1)));
  });

  test('rows that are shown take the values that they have now, and stay where they are', () => {
    const shown = [
      { id: 1, did: 'a' },
      { id: 2, did: 'b' },
      { id: 3, did: 'c' },
    ];
    const latest = [
      { id: 9, did: 'new' },
      { id: 2, did: 'changed' },
      { id: 1, did: 'a' },
    ];
    const values = withNewValues(shown, latest);
    assert.deepEqual(
      values.map(({ did }) => did),
      ['a', 'changed', 'c'],
    );
    assert.equal(withNewValues(values, latest), values);
  });
});

describe('the built console', () => {
  interface Chunk {
    readonly file: string;
    readonly imports?: readonly string[];
  }

  const manifest = (): Readonly<Record<string, Chunk>> =>
    JSON.parse(readFileSync(join(DIST, '.vite', 'manifest.json'), 'utf8'));
  const page = () => readFileSync(join(DIST, 'index.html'), 'utf8');

  /** The files of a chunk, with those that it imports. */
  function filesOf(name: string, chunks = manifest(), files = new Set<string>()): Set<string> {
    const { file, imports = [] } = chunks[name] ?? {};
    if (file === undefined || files.has(file)) return files;
    files.add(file);
    for (const one of imports) filesOf(one, chunks, files);
    return files;
  }

  /** The files of the script that the page begins with. */
  function firstFiles(): Set<string> {
    const names = Object.entries(manifest())
      .filter(([, { file }]) => file.endsWith('.js') && page().includes(` src="./${file}"`))
      .map(([name]) => name);
    assert.ok(names.length > 0);
    return new Set(names.flatMap((name) => [...filesOf(name)]));
  }

  for (const { what, chunk, name, most } of FIRST_LOADS) {
    test(`needs less than ${most / 1_000} kB of JavaScript before it shows ${what}`, () => {
      const needed = firstFiles().union(filesOf(chunk));
      const sizes = [...needed].map((file) => gzipSync(readFileSync(join(DIST, file)), { level: 6 }).length);
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      assert.ok(filesOf(chunk).size > 0 && bytes > LEAST_BYTES && bytes < most, `${bytes} bytes`);
    });

    test(`names in the page what ${what} needs after its first script`, () => {
      const [, named = ''] = new RegExp(` data-${name}="([^"]+)"`).exec(page()) ?? [];
      const later = filesOf(chunk).difference(firstFiles());
      assert.ok(later.size > 0);
      assert.deepEqual(new Set(named.split(' ')), new Set([...later].map((file) => `./${file}`)));
    });
  }

  const routes = new Map(consoleRoutes().map(({ url, answer }) => [url, answer]));

  test('knows the addresses of its views, which a sign-in link may open', () => {
    for (const place of ['', '/7', '/compare-x_site2', '/ranges', '/ranges-provider'])
      assert.ok(isConsolePath(`/virtual-numbers${place}`), place);
    for (const place of ['/', '/x', '/compare', '/7/8'])
      assert.ok(!isConsolePath(`/virtual-numbers${place}`), place);
  });

  test('is there at every address of a view, never old, and lets no foreign script in', () => {
    const views = lists.flatMap(({ word }) => [`/${word}`, `/${word}/:id`]);
    for (const url of ['/', '/activity', '/notifications', ...views]) {
      const { headers, body } = routes.get(url)?.(undefined) ?? {};
      assert.equal(headers?.['cache-control'], 'no-cache', url);
      assert.match(headers?.['content-security-policy'] ?? '', /^default-src 'none'; script-src 'self';/);
      assert.doesNotMatch(headers?.['content-security-policy'] ?? '', /unsafe|https?:|data:/);
      assert.doesNotMatch(String(body), /<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
    }
  });

  test("has the operator's own fields in its page while there are any, and is the same without", () => {
    const own = {
      name: 'x_site',
      kind: 'text',
      titles: { de: 'Ort "am See"' },
      search: false,
      shown: true,
    } as const;
    const fields = [{ ...own, derive: null, slot: 3 }];
    let declared: Declared = {};
    const answer = consoleRoutes('', undefined, [], () => declared).find(({ url }) => url === '/')?.answer;
    const text = () => String(answer?.(undefined).body);
    const without = text();
    assert.equal(without, String(routes.get('/')?.(undefined).body));
    declared = { virtual_numbers: { revision: 'a', shape: 'a', fields } };
    const [, attribute = ''] = / data-fields="([^"]+)"/.exec(text()) ?? [];
    assert.deepEqual(JSON.parse(attribute.replaceAll('&quot;', '"')), {
      virtual_numbers: [{ ...own, title: 'Site' }],
    });
    declared = {};
    assert.equal(text(), without);
  });

  test('has files that stay as they are, compressed as the browser likes', () => {
    const script = [...routes.keys()].find((url) => /index-[\w-]+\.js$/.test(url)) ?? '';
    for (const [accepted, coding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      [undefined, undefined],
    ] as const) {
      const { headers, body } = routes.get(script)?.(accepted) ?? {};
      assert.equal(headers?.['content-encoding'], coding);
      assert.equal(headers?.['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(headers?.['content-type'], 'text/javascript; charset=utf-8');
      assert.ok((body?.length ?? 0) > 0);
    }
    assert.ok([...routes.keys()].every((url) => !url.includes('manifest')));
  });

  test('can stand behind a prefix', () => {
    const page = consoleRoutes('/numbers').find(({ url }) => url === '/');
    const [, script = ''] = /src="([^"]+)"/.exec(String(page?.answer(undefined).body)) ?? [];
    assert.match(script, /^\/numbers\/assets\/[\w-]+\.js$/);
    assert.ok(existsSync(join(DIST, script.replace('/numbers/', ''))));
  });
});
