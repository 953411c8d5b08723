import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CATEGORIES, lists } from '@linecard/client/contract';
import { MAX_CHARGE } from '@linecard/client/contract/charge';
import { fold } from '@linecard/client/contract/fold';
import { parseTimestamp, timestampOf } from '@linecard/client/contract/timestamp';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { createAccount, listAccounts } from '../store/accounts.ts';
import { openStore } from '../store/open.ts';
import { template } from '../store/sql.ts';
import type { Store } from '../store/store.ts';
import { itemOf, type RowValues, tables } from '../store/tables.ts';
import { type DemoRows, demoAccounts, fillDemo, findDemo } from './demo.ts';

const DAY = 86_400_000;
const TODAY = Date.UTC(2026, 10, 20, 10, 30);
const MILLION = 1_000_000;

/** What regulators keep for fiction, written a second time and in another way than in demo-ranges.ts. */
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

const accounts = [...demoAccounts(TODAY)];
const numbers = accounts.flatMap(({ rows }) => rows.virtual_numbers);
const services = accounts.flatMap(({ rows }) => rows.additional_services);

const LIST_NAMES = ['virtual_numbers', 'additional_services'] as const;

const texts = (rows: readonly RowValues[], field: string) => rows.map((row) => String(row[field]));

/** The rows with every timestamp replaced by whether there is one. */
function undated(all: Iterable<DemoRows>): unknown[] {
  return [...all].map(({ id, rows }) => [
    id,
    Object.values(rows).map((some) =>
      some.map((row) =>
        Object.entries(row).map(([name, value]) => (name.endsWith('_at') ? value !== null : value)),
      ),
    ),
  ]);
}

describe('the sample accounts are the same every time', () => {
  test('on one day', () => {
    const later = TODAY + 13 * 3_600_000;
    assert.deepEqual([...demoAccounts(later)], accounts);
  });

  test('and on another day but for the dates', () => {
    const another = [...demoAccounts(TODAY + 100 * DAY)];
    assert.deepEqual(undated(another), undated(accounts));
    assert.notDeepEqual(another, accounts);
  });

  test('however far an earlier one was read', () => {
    const [first] = demoAccounts(TODAY);
    assert.deepEqual(first, accounts[0]);
    assert.deepEqual([...demoAccounts(TODAY)], accounts);
  });
});

describe('the sample accounts are believable', () => {
  test('a small firm, a call centre and a reseller', () => {
    assert.deepEqual(
      accounts.map(({ id, rows }) => [id, rows.virtual_numbers.length]),
      [
        ['pennywharf-dental', 46],
        ['ringmallow-answers', 4_000],
        ['oddlark-resale', 325],
      ],
    );
    for (const { id, name, about } of accounts)
      assert.ok(name !== id && about !== '' && !about.includes('\n'));
  });

  test('every number is reserved for fiction, and nobody has it twice', () => {
    for (const { did, country_code } of numbers)
      assert.match(String(did), RESERVED[String(country_code)] ?? /^$/);
    assert.equal(new Set(texts(numbers, 'did')).size, numbers.length);
  });

  test('every number is of its country, as far as can be told', () => {
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
    for (const { rows } of accounts) {
      const created = texts(rows.virtual_numbers, 'created_at');
      assert.deepEqual(created, created.toSorted());
      for (const some of Object.values(rows)) {
        assert.deepEqual(
          some,
          some.toSorted((a, b) => Number(a['id']) - Number(b['id'])),
        );
      }
    }
  });

  test('every row has each field of the contract, in the form in which it is stored', () => {
    for (const { rows } of accounts) {
      for (const list of LIST_NAMES) {
        const { fields, hidden } = tables[list].list;
        for (const row of rows[list]) {
          assert.deepEqual(Object.keys(row).toSorted(), Object.keys({ ...fields, ...hidden }).toSorted());
          for (const [name, { kind, ...field }] of Object.entries(fields)) {
            const value = row[name];
            if (value === null) assert.ok('nullable' in field, name);
            else if (kind === 'timestamp') assert.equal(parseTimestamp(String(value)), value);
            else if (kind === 'flag') assert.equal(typeof value, 'boolean');
            else if (kind === 'text') assert.equal(typeof value, 'string');
            else
              assert.ok(
                Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_CHARGE * MILLION,
              );
          }
          assert.doesNotThrow(() => JSON.parse(itemOf(tables[list].list, row)));
        }
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

  test('nothing is named after a real company', () => {
    const named = [...numbers, ...services].flatMap(({ comment, provider = '', title = '' }) => [
      comment,
      provider,
      title,
    ]);
    for (const text of [...named, ...accounts.map(({ name }) => name)])
      assert.doesNotMatch(String(text), BRANDS);
  });
});

describe('the sample accounts show what can be asked', () => {
  for (const { id, rows } of accounts) {
    test(`${id}: every known status, and services of every category`, () => {
      const { fields } = lists.virtual_numbers;
      const { virtual_numbers, additional_services } = rows;
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
      const due = rows.virtual_numbers.map(({ next_payment_at }) => next_payment_at);
      const between = (from: number, to: number) =>
        due.filter((at) => at !== null && String(at) > timestampOf(from) && String(at) <= timestampOf(to))
          .length;
      assert.ok(between(0, TODAY) > 0);
      assert.ok(between(TODAY, TODAY + 7 * DAY) > 0);
      assert.ok(between(TODAY + 7 * DAY, TODAY + 30 * DAY) > 0);
      assert.ok(between(TODAY + 30 * DAY, TODAY + 400 * DAY) > 0);
      assert.ok(due.includes(null));
    });

    test(`${id}: a few percent are flagged as spam, not everything is checked or activated`, () => {
      const all = rows.virtual_numbers;
      const flagged = all.filter(({ is_spammed }) => is_spammed === true).length;
      assert.ok(flagged >= 2 && flagged <= 0.06 * all.length, `${flagged} of ${all.length}`);
      for (const checking of [true, false])
        assert.ok(all.some((row) => row['is_active_spam_check'] === checking));
      for (const name of ['activated_at', 'spam_checked_at'])
        assert.ok(all.some((row) => row[name] === null));
      assert.ok(rows.additional_services.some(({ activated_at }) => activated_at === null));
    });
  }

  test('every known frequency occurs', () => {
    const known = new Set<string>(lists.virtual_numbers.fields.frequency.known);
    assert.deepEqual(new Set(texts(numbers, 'frequency')), known);
    assert.deepEqual(new Set(texts(services, 'frequency')), known);
  });

  test('comments hold what is awkward to search, to fold and to write as CSV', () => {
    const comments = [...texts(numbers, 'comment'), ...texts(services, 'comment')];
    for (const awkward of ['%', '_', '*', '"', "'", ',', '’', 'ß', '№', '予', 'ｸ', 'ч', 'ή', 'ق']) {
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
    assert.ok(numbers.some(({ incoming }) => Number(incoming) % 100 !== 0));
  });
});

describe('filling a database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'linecard-demo-'));
  let store: Store;

  before(async () => {
    store = await openStore(`sqlite:${join(folder, 'demo.db')}`, 'write');
  });

  after(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  const expected = accounts.map(({ id, name, about }) => ({ id, name, about }));

  test('an empty database is no demo; filled, it is one and can be told again', async () => {
    assert.equal(await findDemo(store), undefined);
    assert.deepEqual(await fillDemo(store, TODAY), expected);
    assert.deepEqual(await findDemo(store), expected);
  });

  const readItems = {
    virtual_numbers: (id: string) =>
      template(store.dialect)`select item from virtual_numbers where account_id = ${id} order by id`,
    additional_services: (id: string) =>
      template(store.dialect)`select item from additional_services where account_id = ${id} order by id`,
  };

  test('every row is there, as an answer carries it', async () => {
    for (const { id, rows } of accounts) {
      for (const list of LIST_NAMES) {
        const [stored] = await store.read(readItems[list](id));
        const made = rows[list].map((row) => [itemOf(tables[list].list, row)]);
        assert.deepEqual(stored, made);
      }
    }
  });

  test('the accounts are there by their names, and no others', async () => {
    const found = new Map((await listAccounts(store)).map(({ id, name }) => [id, name]));
    assert.deepEqual(found, new Map(expected.map(({ id, name }) => [id, name])));
  });

  test('a database that has an account is left alone', async () => {
    assert.equal(await fillDemo(store, TODAY + DAY), undefined);
    const other = await openStore(`sqlite:${join(folder, 'other.db')}`, 'write');
    await createAccount(other, 'somebody', 'Somebody');
    assert.equal(await fillDemo(other, TODAY), undefined);
    assert.equal(await findDemo(other), undefined);
    assert.deepEqual(await other.read(template(other.dialect)`select id from virtual_numbers`), [[]]);
    await other.close();
  });

  test('what was broken off half-way is no demo yet, and is done anew', async () => {
    const broken = await openStore(`sqlite:${join(folder, 'broken.db')}`, 'write');
    const full: Store = {
      dialect: broken.dialect,
      read: (...statements) => broken.read(...statements),
      write: (...statements) => broken.write(...statements),
      snapshot: () => broken.snapshot(),
      load: () => Promise.reject(new Error('The disk is full.')),
      close: () => broken.close(),
    };
    await assert.rejects(fillDemo(full, TODAY), /full/);
    assert.equal(await findDemo(broken), undefined);
    assert.deepEqual(await fillDemo(broken, TODAY), expected);
    assert.deepEqual(await findDemo(broken), expected);
    await broken.close();
  });
});
