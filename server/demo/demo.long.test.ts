// The sample accounts as they look in a database, on ordinary days and on odd ones.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { CATEGORIES, lists } from '@linecard/client/contract';
import { fold } from '@linecard/client/contract/fold';
import { parseTimestamp, timestampOf } from '@linecard/client/contract/timestamp';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { createAccount, listAccounts } from '../store/access/accounts.ts';
import { openStore } from '../store/open.ts';
import { sql } from '../store/sql.ts';
import type { Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import { demoAccounts, fillDemo, findDemo, resolveTime } from './demo.ts';

const DAY = 86_400_000;
const TODAY = Date.UTC(2026, 10, 20, 10, 30);
/** Days on which a date that is counted in the wrong way goes wrong. */
const ODD_DAYS = [
  '2028-02-29',
  '2027-01-31',
  '2027-03-28',
  '2027-02-28',
  '2028-03-01',
  '2026-12-31',
  '2027-01-01',
];
/** On how many of them a database is filled: on the others, each time is resolved. */
const FILLED_DAYS = 2;

/** What regulators keep for fiction, by country code. */
const RESERVED: Readonly<Record<string, RegExp>> = {
  AU: /^\+61(?:[2378](?:5550|7010)\d{4}|4915(?:70(?:006|110|15[6-9]|313|737)|71(?:266|491|804)|72(?:549|665|983)|73(?:087|770)|74(?:118|632)|75(?:254|789)|76(?:398|801)|77(?:426|644)|78(?:148|888|957)|79(?:212|455|760))|1800(?:160401|9757(?:0[789]|1[01]))|1900654321)$/,
  CA: /^\+1(?:204|306|403|416|418|514|604|613|709|867|902)55501\d\d$/,
  DE: /^\+49(?:3023125\d{3}|6990009\d{3}|4066969\d{3}|2214710\d{3}|8999998\d{3}|15228817386|15228895456|15254599371|1729925904|1729968532|172997318[56]|1729980752|1749091317|1749464308|176040690\d\d|17139200\d\d)$/,
  FR: /^\+33(?:19900|26191|35301|46571|53649|63998)\d{4}$/,
  GB: /^\+44(?:11[3-8]4960|1[2-6]14960|1914980|1632960|2079460|2896496|2920180|7700900|8081570|9098790|3069990)\d{3}$/,
  GU: /^\+167155501\d\d$/,
  IE: /^\+3532091\d{5}$/,
  PR: /^\+1(?:787|939)55501\d\d$/,
  SE: /^\+46(?:3139006\d\d|4062804\d\d|8465004\d\d|9803192\d\d|701740(?:60[5-9]|6[1-9]\d))$/,
  US: /^\+1(?:202|206|212|213|214|215|303|305|312|313|404|415|503|504|512|602|612|617|702|713|808|907)55501\d\d$/,
  VI: /^\+134055501\d\d$/,
};

/** Reserved, but of no country that libphonenumber could name. */
const NAMELESS = /^\+44(?:115496|1632960|7700900)/;

const BRANDS =
  /\b(?:8x8|amazon|apple|aircall|at&t|avaya|bandwidth|bell|bouygues|bt|cisco|colt|comcast|congstar|deutsche|ee|eir|eircom|free|gamma|google|lebara|lumen|lycamobile|microsoft|o2|ooma|optus|orange|ovh|plivo|ringcentral|rogers|sfr|sinch|skype|sky|sprint|t-mobile|talktalk|tele2|telefonica|telekom|telenor|telia|telnyx|telstra|telus|three|twilio|verizon|videotron|virgin|vodafone|voipfone|vonage|xfinity|zadarma|zoom)\b/i;

type Item = Readonly<Record<string, string | number | boolean | null>>;

interface DemoItems {
  readonly id: string;
  readonly virtual_numbers: readonly Item[];
  readonly additional_services: readonly Item[];
}

const folder = mkdtempSync(join(tmpdir(), 'linecard-demo-'));
after(() => rmSync(folder, { recursive: true }));

let databases = 0;

function openNew(): Promise<Store> {
  databases += 1;
  return openStore(`sqlite:${join(folder, `${databases}.db`)}`, 'write');
}

/** The items of all sample accounts, those that are never listed included. */
async function readItems(store: Store): Promise<DemoItems[]> {
  const [numbers, services] = await store.read(
    sql`select account_id, item from virtual_numbers order by id`,
    sql`select account_id, item, category, service_name from additional_services order by id`,
  );
  return demoAccounts().map(({ id }) => ({
    id,
    virtual_numbers: numbers.filter(([of]) => of === id).map(([, item]) => JSON.parse(String(item))),
    additional_services: services
      .filter(([of]) => of === id)
      .map(([, item, category, service_name]) => ({ ...JSON.parse(String(item)), category, service_name })),
  }));
}

async function itemsOn(today: number): Promise<DemoItems[]> {
  const store = await openNew();
  await fillDemo(store, today);
  // The store keeps what it has seen for the rest of a turn of the event loop.
  await setImmediate();
  const items = await readItems(store);
  await store.close();
  return items;
}

const accounts = await itemsOn(TODAY);
const numbers = accounts.flatMap(({ virtual_numbers }) => virtual_numbers);
const services = accounts.flatMap(({ additional_services }) => additional_services);

const texts = (items: readonly Item[], field: string) => items.map((item) => String(item[field]));

/** The items with every timestamp replaced by how far it is from that day. */
function undated(all: readonly DemoItems[], today: number) {
  const midnight = Math.floor(today / DAY) * DAY;
  const distance = (at: string) => [(Date.parse(`${at.slice(0, 23)}Z`) - midnight) / 1_000, at.slice(23)];
  return all.map(({ id, ...items }) => [
    id,
    Object.values(items)
      .flat()
      .map((item) =>
        Object.entries(item).map(([name, value]) =>
          name.endsWith('_at') && value !== null ? distance(String(value)) : value,
        ),
      ),
  ]);
}

describe('a time relative to today', () => {
  const morning = Date.UTC(2028, 1, 28, 0, 0);
  const evening = Date.UTC(2028, 1, 28, 23, 59, 59, 999);
  const TIMES: readonly (readonly [relative: string, expected: string])[] = [
    ['+0d', '2028-02-28T00:00:00Z'],
    ['+1d 08:00', '2028-02-29T08:00:00Z'],
    ['+2d 08:00:01', '2028-03-01T08:00:01Z'],
    ['-28d 23:59:59.999999', '2028-01-31T23:59:59.999999Z'],
    ['-1520d 04:05:06.000007', '2023-12-31T04:05:06.000007Z'],
  ];
  for (const [relative, expected] of TIMES) {
    test(`${relative} is ${expected}, early and late on 28 February 2028`, () => {
      assert.equal(resolveTime(relative, morning), expected);
      assert.equal(resolveTime(relative, evening), expected);
    });
  }

  for (const day of ODD_DAYS) {
    test(`is as far from ${day}, in either direction`, () => {
      const midnight = Date.parse(`${day}T00:00:00Z`);
      for (let days = -1_600; days <= 1_600; days++) {
        const at = resolveTime(`${days < 0 ? '' : '+'}${days}d 08:15:30`, midnight + 22 * 3_600_000);
        assert.equal(Date.parse(at), midnight + days * DAY + (8 * 3_600 + 15 * 60 + 30) * 1_000, at);
      }
    });
  }

  test('is refused in any other form', () => {
    for (const text of [
      '',
      '12d',
      '+1d8:00',
      '+1d 08',
      '+1 08:00',
      '2026-11-20T00:00:00Z',
      '+1d 08:00:00.1',
    ]) {
      assert.throws(() => resolveTime(text, TODAY), /is not a time such as/, text);
    }
  });
});

describe('the sample accounts are the same every time', () => {
  test('on one day', async () => {
    const later = TODAY + 13 * 3_600_000;
    assert.deepEqual(await itemsOn(later), accounts);
  });

  for (const day of ODD_DAYS.slice(0, FILLED_DAYS)) {
    test(`on ${day} but for the dates, which are as far away`, async () => {
      const today = Date.parse(`${day}T22:10:00Z`);
      const then = await itemsOn(today);
      assert.deepEqual(undated(then, today), undated(accounts, TODAY));
      assert.notDeepEqual(then, accounts);
    });
  }
});

describe('the sample accounts are believable', () => {
  test('a small firm, a call centre and a reseller', () => {
    assert.deepEqual(
      accounts.map(({ id, virtual_numbers }) => [id, virtual_numbers.length]),
      [
        ['pennywharf-dental', 46],
        ['ringmallow-answers', 460],
        ['oddlark-resale', 340],
      ],
    );
    for (const { id, name, about } of demoAccounts())
      assert.ok(name !== id && about !== '' && !about.includes('\n'));
  });

  test('what is said of them is true', () => {
    const [firm, centre, reseller] = demoAccounts().map(({ about }) => about);
    const countries = (account: DemoItems | undefined) =>
      new Set(texts(account?.virtual_numbers ?? [], 'country')).size;
    const customers = new Set(
      texts(accounts[2]?.virtual_numbers ?? [], 'comment').map((comment) => comment.split(': ')[0]),
    );
    assert.match(String(firm), /46 numbers in two countries/);
    assert.equal(countries(accounts[0]), 2);
    assert.match(String(centre), /460 numbers in eleven countries/);
    assert.equal(countries(accounts[1]), 11);
    assert.ok(String(reseller).includes(`340 numbers of ${customers.size} customers`), `${customers.size}`);
  });

  test('every number is reserved for fiction, and listed once', () => {
    for (const { did, country_code } of numbers)
      assert.match(String(did), RESERVED[String(country_code)] ?? /^$/);
    assert.equal(new Set(texts(numbers, 'did')).size, numbers.length);
  });

  test('every number is of its country, as far as can be known', () => {
    for (const { did, country_code, country } of numbers) {
      const found = parsePhoneNumberFromString(String(did))?.country;
      if (!NAMELESS.test(String(did))) assert.equal(found, country_code, String(did));
      assert.ok(typeof country === 'string' && country.length > 3 && country !== country_code);
    }
    assert.equal(new Set(texts(numbers, 'country_code')).size, Object.keys(RESERVED).length);
  });

  test('ids are unique in the deployment and go up as things come in', () => {
    const ids = [...numbers, ...services].map(({ id }) => Number(id));
    assert.equal(new Set(ids).size, ids.length);
    for (const { virtual_numbers } of accounts) {
      const created = texts(virtual_numbers, 'created_at');
      assert.deepEqual(created, created.toSorted());
    }
  });

  test('every timestamp is in the one form', () => {
    for (const item of [...numbers, ...services]) {
      for (const [name, value] of Object.entries(item)) {
        if (name.endsWith('_at') && value !== null) assert.equal(parseTimestamp(String(value)), value);
      }
    }
  });

  test('what happened, happened before today and in order', () => {
    const began = timestampOf(Math.floor(TODAY / DAY) * DAY);
    for (const row of [...numbers, ...services]) {
      const { created_at = '', activated_at, spam_checked_at = null } = row;
      for (const at of [created_at, activated_at, spam_checked_at])
        assert.ok(at === null || String(at) < began);
      if (activated_at !== null) assert.ok(String(activated_at) > String(created_at));
      if (spam_checked_at !== null) assert.ok(String(spam_checked_at) > String(activated_at));
    }
  });

  test('nothing has the name of a real business', () => {
    const named = [...numbers, ...services].flatMap(({ comment, provider = '', title = '' }) => [
      comment,
      provider,
      title,
    ]);
    for (const text of [...named, ...demoAccounts().map(({ name }) => name)])
      assert.doesNotMatch(String(text), BRANDS);
  });
});

describe('the sample accounts show what can be queried', () => {
  for (const { id, virtual_numbers, additional_services } of accounts) {
    test(`${id}: every known status, and services of every category`, () => {
      const { fields } = lists.virtual_numbers;
      assert.deepEqual(new Set(texts(virtual_numbers, 'status')), new Set(fields.status.known));
      assert.deepEqual(
        new Set(texts(virtual_numbers, 'subscription_status')),
        new Set(fields.subscription_status.known),
      );
      assert.deepEqual(new Set(texts(additional_services, 'category')), new Set(CATEGORIES));
      assert.ok(new Set(texts(additional_services, 'subscription_status')).size >= 3);
      assert.ok(new Set(texts(virtual_numbers, 'frequency')).size >= 3);
    });

    test(`${id}: something overdue, due within 7 and within 30 days, due later and never`, () => {
      const due = virtual_numbers.map(({ next_payment_at }) => next_payment_at);
      const between = (from: number, to: number) =>
        due.filter((at) => at !== null && String(at) > timestampOf(from) && String(at) <= timestampOf(to))
          .length;
      assert.ok(between(0, TODAY) > 0);
      assert.ok(between(TODAY, TODAY + 7 * DAY) > 0);
      assert.ok(between(TODAY + 7 * DAY, TODAY + 30 * DAY) > 0);
      assert.ok(between(TODAY + 30 * DAY, TODAY + 400 * DAY) > 0);
      assert.ok(due.includes(null));
    });

    test(`${id}: today and tomorrow, something in Germany, in the United Kingdom and of the services`, () => {
      // So that the first examples of the README and of `linecard --help`, "this week", find something on any
      // day.
      const inCountry = (code: string) => virtual_numbers.filter((item) => item['country_code'] === code);
      const listed = additional_services.filter(({ category }) => category === 'additional');
      for (const items of [inCountry('DE'), inCountry('GB'), listed]) {
        const due = texts(items, 'next_payment_at');
        for (const day of ['2026-11-20', '2026-11-21'])
          assert.ok(
            due.some((at) => at.startsWith(day)),
            day,
          );
      }
    });

    test(`${id}: a few percent are flagged as spam, not everything is checked or activated`, () => {
      const all = virtual_numbers;
      const flagged = all.filter(({ is_spammed }) => is_spammed === true).length;
      assert.ok(flagged >= 2 && flagged <= 0.06 * all.length, `${flagged} of ${all.length}`);
      for (const checking of [true, false])
        assert.ok(all.some((row) => row['is_active_spam_check'] === checking));
      for (const name of ['activated_at', 'spam_checked_at'])
        assert.ok(all.some((row) => row[name] === null));
      assert.ok(additional_services.some(({ activated_at }) => activated_at === null));
    });
  }

  test('the answer that the README begins with is that of the first account', () => {
    const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
    const [answer = ''] = /^\{"data":.*?\}$/ms.exec(readme) ?? [];
    const { data, total } = JSON.parse(answer.replaceAll('\n', ''));
    const german = accounts[0]?.virtual_numbers.filter((item) => item['country_code'] === 'DE') ?? [];
    const [first] = german
      .filter(({ next_payment_at }) => next_payment_at !== null)
      .toSorted((a, b) => (String(a['next_payment_at']) < String(b['next_payment_at']) ? -1 : 1));
    assert.deepEqual([data, total], [[first], german.length]);
  });

  test('own fields: in each account, what was called lately, what was not for 90 days, what never was; and sites', () => {
    const rows = readFileSync(join(import.meta.dirname, 'virtual-numbers.ndjson'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string | undefined>);
    const [today, long] = [0, 90].map((days) => timestampOf(TODAY - days * DAY).slice(0, 10));
    for (const { id } of demoAccounts()) {
      const here = rows.filter(({ account_id }) => account_id === id);
      const calls = here.map(({ x_last_call: at, activated_at: from }) => {
        if (at === undefined) return null;
        const called = resolveTime(at, TODAY);
        assert.ok(from !== undefined && called > resolveTime(from, TODAY) && called < String(today), at);
        return called;
      });
      const unused = calls.filter((at) => at !== null && at < String(long)).length;
      const never = calls.filter((at) => at === null).length;
      for (const few of [unused, never]) assert.ok(few >= 3 && few < here.length / 4, `${id}: ${few}`);
      assert.ok(new Set(here.map(({ x_site }) => x_site)).size >= 3, id);
    }
  });

  test('every known frequency occurs', () => {
    const known = new Set<string>(lists.virtual_numbers.fields.frequency.known);
    assert.deepEqual(new Set(texts(numbers, 'frequency')), known);
    assert.deepEqual(new Set(texts(services, 'frequency')), known);
  });

  test('comments hold what is awkward to search, to fold and to write as CSV', () => {
    const comments = [...texts(numbers, 'comment'), ...texts(services, 'comment')];
    for (const awkward of ['%', '_', '*', '"', "'", ',', '’', 'ß', '№', '予', 'ｸ', 'ч', 'ή', 'ق', 'ש', 'İ']) {
      assert.ok(
        comments.some((text) => text.includes(awkward)),
        awkward,
      );
    }
    assert.ok(comments.includes(''));
    assert.ok(comments.some((text) => fold(text) !== text.toLowerCase()));
    assert.ok(texts(numbers, 'provider').includes('Zed, Inc'));
  });

  test('timestamps have microseconds, charges more than two digits', () => {
    assert.ok(texts(numbers, 'created_at').some((at) => !at.endsWith('000Z')));
    assert.ok(numbers.some(({ incoming }) => (Number(incoming) * 1e4) % 1 > 1e-6));
  });
});

describe('filling a database', () => {
  let store: Store;

  before(async () => {
    store = await openNew();
  });

  after(() => store.close());

  test('an empty database is no demo; filled, it is one and is found again', async () => {
    assert.equal(await findDemo(store), undefined);
    assert.deepEqual(await fillDemo(store, TODAY), demoAccounts());
    assert.deepEqual(await findDemo(store), demoAccounts());
  });

  test('every line of the files is there, and counted', async () => {
    for (const { name } of Object.values(tables)) {
      const text = readFileSync(join(import.meta.dirname, `${name.replaceAll('_', '-')}.ndjson`), 'utf8');
      const ids = text
        .trimEnd()
        .split('\n')
        .map((line) => [JSON.parse(line).id]);
      const [stored] = await store.read({ text: `select id from ${name} order by id`, values: [] });
      assert.deepEqual(
        stored,
        ids.toSorted(([a], [b]) => a - b),
      );
    }
  });

  test('the accounts are there by their names, and no others', async () => {
    const found = new Map((await listAccounts(store)).map(({ id, name }) => [id, name]));
    assert.deepEqual(found, new Map(demoAccounts().map(({ id, name }) => [id, name])));
  });

  test('a database that has an account is left alone', async () => {
    assert.equal(await fillDemo(store, TODAY + DAY), undefined);
    const other = await openNew();
    await createAccount(other, 'somebody');
    assert.equal(await fillDemo(other, TODAY), undefined);
    assert.equal(await findDemo(other), undefined);
    assert.deepEqual(await other.read(sql`select id from virtual_numbers`), [[]]);
    await other.close();
  });

  test('what was broken off half-way is no demo yet, and is done again', async () => {
    const broken = await openNew();
    let loads = 0;
    const full: Store = {
      dialect: broken.dialect,
      isRemote: false,
      showsOneAccount: false,
      read: (...statements) => broken.read(...statements),
      write: (...statements) => broken.write(...statements),
      beginImport: (options) => broken.beginImport(options),
      snapshot: () => broken.snapshot(),
      load: (...rest) => {
        loads += 1;
        return loads === 1 ? broken.load(...rest) : Promise.reject(new Error('The disk is full.'));
      },
      close: () => broken.close(),
    };
    await assert.rejects(fillDemo(full, TODAY), /full/);
    assert.equal(await findDemo(broken), undefined);
    assert.deepEqual(await fillDemo(broken, TODAY), demoAccounts());
    assert.deepEqual(await findDemo(broken), demoAccounts());
    await setImmediate();
    assert.deepEqual(await readItems(broken), accounts);
    await broken.close();
  });
});
