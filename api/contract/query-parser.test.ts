// Query strings and JSON bodies -> typed query: what each spelling means, what is refused and in which words.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { additional_services } from './additional-services.ts';
import { lists } from './contract.ts';
import type { List } from './list.ts';
import { type Fault, Problem } from './problems.ts';
import { formatSelection, type Query } from './query.ts';
import { QueryParser } from './query-parser.ts';
import { virtual_numbers } from './virtual-numbers.ts';

const DEFAULTS: Query = { filters: [], sort_by: '_default', sort_order: 'asc', page: 1, page_size: 10 };

const numbers = new QueryParser(virtual_numbers);
const services = new QueryParser(additional_services);

/** The faults of a query, each as its parameter. */
function faultsOf(read: () => Query): readonly Fault[] {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof Problem);
    assert.equal(error.code, 'invalid-parameter');
    assert.equal(error.status, 400);
    assert.ok(error.faults !== undefined && error.faults.length > 0);
    return error.faults;
  }
  return [];
}

const named = (faults: readonly Fault[]) => faults.map(({ parameter }) => parameter);
const values = (query: Query) => Object.fromEntries(query.filters.map(({ name, value }) => [name, value]));

describe('a query string', () => {
  const read: readonly [text: string, expected: Partial<Query>][] = [
    ['', {}],
    ['&', {}],
    ['page=2', { page: 2 }],
    ['page=9007199254740991', { page: 9_007_199_254_740_991 }],
    ['page_size=1000', { page_size: 1_000 }],
    ['sort_by=did', { sort_by: 'did' }],
    ['sort_by=is_spam&sort_order=desc', { sort_by: 'is_spam', sort_order: 'desc' }],
    ['q=a', { q: 'a' }],
    ['q=', {}],
    ['q', {}],
    ['q=%20%C2%A0+', {}],
    ['q=+a++b+', { q: 'a  b' }],
    ['q=a%2Bb', { q: 'a+b' }],
    ['q=a=b', { q: 'a=b' }],
    ['q=%26%3D%23', { q: '&=#' }],
    ['q=%F0%9F%98%80', { q: '😀' }],
    ['%71=a', { q: 'a' }],
    ['cursor=abc', { cursor: 'abc' }],
  ];
  for (const [text, expected] of read) {
    test(`"${text}" means ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(numbers.ofString(text), { ...DEFAULTS, ...expected });
    });
  }

  test('gives filters in the order of the contract, each with its field and its test', () => {
    const { filters } = numbers.ofString(
      'is_spammed=false&providers=b,a&activated_after=2026-01-01T00:00:00Z&ids=3,1,3',
    );
    assert.deepEqual(filters, [
      { name: 'ids', field: 'id', test: 'any', value: [3, 1] },
      { name: 'activated_after', field: 'activated_at', test: 'after', value: '2026-01-01T00:00:00.000000Z' },
      { name: 'providers', field: 'provider', test: 'any', value: ['b', 'a'] },
      { name: 'is_spammed', field: 'is_spammed', test: 'is', value: false },
    ]);
  });

  const spelled: readonly [text: string, providers: readonly string[] | undefined][] = [
    ['providers=a&providers=b', ['a', 'b']],
    ['providers[]=a&providers[]=b', ['a', 'b']],
    ['providers[0]=a&providers[1]=b', ['a', 'b']],
    ['providers[9]=a&providers[3]=b', ['a', 'b']],
    ['providers%5B%5D=a', ['a']],
    ['providers%5b0%5d=a', ['a']],
    ['providers=a,b', ['a', 'b']],
    ['providers=a%2Cb', ['a', 'b']],
    ['providers[]=a%2Cb', ['a,b']],
    ['providers[0]=a,b', ['a,b']],
    ['providers[]=a,b&providers=c,d', ['a,b', 'c', 'd']],
    ['providers=%20a', [' a']],
    ['providers=a,,b,', ['a', 'b']],
    ['providers=&providers=a', ['a']],
    ['providers=', undefined],
    ['providers', undefined],
    ['providers[]=', undefined],
    ['providers[0]=', undefined],
    ['providers=,,,', undefined],
  ];
  for (const [text, providers] of spelled) {
    test(`${text} is ${JSON.stringify(providers ?? 'no filter')}`, () => {
      assert.deepEqual(values(numbers.ofString(text))['providers'], providers);
    });
  }

  const refused: readonly [text: string, parameters: readonly string[]][] = [
    ['page=0', ['page']],
    ['page=1&page=1', ['page']],
    ['page=1&page=2&page=3', ['page']],
    ['page=&page=', ['page', 'page']],
    ['page_size=1001', ['page_size']],
    ['ids=0,-1,x', ['ids', 'ids', 'ids']],
    ['ids[]=1,2', ['ids']],
    ['country_codes=gb,GB,Gb', ['country_codes', 'country_codes']],
    ['is_spammed=1', ['is_spammed']],
    ['is_spammed[]=true', ['is_spammed[]']],
    ['page[0]=1', ['page[0]']],
    ['nothing=1', ['nothing']],
    ['nothing=1&nothing=2', ['nothing']],
    ['=', ['']],
    ['__proto__=1', ['__proto__']],
    ['ids[__proto__]=1', ['ids[__proto__]']],
    ['cursor=abc&page=2', ['page']],
    ['page=2&cursor=abc', ['page']],
    ['%zz=1', ['%zz']],
    ['q=%zz', ['q']],
    ['q=%00', ['q']],
    ['statuses=a%0Ab', ['statuses']],
    ['statuses[]=%7F', ['statuses']],
    ['sort_by=__proto__&sort_order=asc&page=x', ['sort_by', 'page']],
  ];
  for (const [text, parameters] of refused) {
    test(`${text} is refused: ${parameters.join(', ') || 'a name of nothing'}`, () => {
      assert.deepEqual(named(faultsOf(() => numbers.ofString(text))), parameters);
    });
  }

  test('a fault names what was sent, what is allowed and what was meant', () => {
    const [fault] = faultsOf(() => numbers.ofString('country_codes=gb'));
    assert.deepEqual(fault, {
      parameter: 'country_codes',
      detail:
        'Each value of country_codes must be an ISO 3166-1 alpha-2 code in upper case, such as GB, but was "gb"; did you mean `GB`?',
      value: 'gb',
    });
  });

  test('that is at fault in one way says it in the detail; in several, how many', () => {
    for (const [text, detail] of [
      ['page_size=0', 'page_size must be an integer from 1 to 1000, but was "0".'],
      ['page_size=0&page=0', '2 faults'],
    ] as const) {
      assert.throws(
        () => numbers.ofString(text),
        (error) => error instanceof Problem && error.message.startsWith(detail),
      );
    }
  });

  test('names the parameters that are known once, however many are not', () => {
    const item = new QueryParser(virtual_numbers, undefined, 'item');
    const read = () => item.ofString('field=did&x=1');
    const [first, second] = faultsOf(read);
    assert.equal(first?.detail, '"field" is not a parameter of virtual numbers. Did you mean `fields`?');
    assert.equal(second?.detail, '"x" is not a parameter of virtual numbers.');
    assert.throws(read, {
      message: `2 faults, each in \`errors\`. The first: ${first?.detail} The only parameter here is fields.`,
    });
    assert.throws(
      () => numbers.ofString('x=1&y=2'),
      /"x" is not a parameter .+ Known parameters are ids, .+ and fields\.$/,
    );
  });

  test('suggests nothing that selects the opposite, or more', () => {
    for (const [query, meant] of [
      ['statuses!=active', 'statuses_exclude'],
      ['not_statuses=active', 'statuses_exclude'],
      ['status[ne]=active', 'statuses_exclude'],
      ['next_payment_at=null', 'has_next_payment=false'],
      ['next_payment_is_null=false', 'has_next_payment=true'],
    ]) {
      const [fault] = faultsOf(() => numbers.ofString(String(query)));
      assert.ok(fault?.detail.endsWith(`Did you mean \`${meant}\`?`), `${query}: ${fault?.detail}`);
    }
    const [value] = faultsOf(() => numbers.ofString('subscription_statuses=inactive'));
    assert.doesNotMatch(String(value?.detail), /did you mean/);
  });

  test('says where the direction of a sort key is', () => {
    for (const [key, order] of [
      ['-monthly', 'desc'],
      ['monthly:DESC', 'desc'],
      ['monthly+ascending', 'asc'],
    ] as const) {
      const [fault] = faultsOf(() => numbers.ofString(`sort_by=${key}`));
      const said = `": the direction is in \`sort_order\`: \`monthly\` with \`${order}\`.`;
      assert.equal(String(fault?.detail).slice(-said.length), said);
    }
  });

  test('names did_from and did_to for a value of dids that is a range, or too long for a number', () => {
    for (const name of ['dids', 'dids_exclude'])
      for (const value of ['%2B12155550100-11', '%2B12155550100-%2B12155550111', '1234567890123456']) {
        const [fault] = faultsOf(() => numbers.ofString(`${name}=${value}`));
        assert.match(String(fault?.detail), /For a range use `did_from` and `did_to`\.$/, value);
      }
    for (const value of ['442079460018.0', '2026-11-20', '192.168.0.1', '12.50', '442079460018-442079460027'])
      assert.equal(faultsOf(() => numbers.ofString(`did_from=${value}`)).length, 1, value);
    for (const value of ['12345678901234567890', '%2B49%2030%20442079460018'])
      assert.equal(numbers.ofString(`did_from=${value}`).filters.length, 1, value);
    const [fault] = faultsOf(() => numbers.ofString('did_from=%2B44207946&did_to=%2B442079461'));
    assert.equal(fault?.detail, 'did_from and did_to must have the same number of digits.');
  });

  test('suggests the bounds of a charge for a price', () => {
    const [fault] = faultsOf(() => numbers.ofString('monthly[gte]=5'));
    assert.match(
      String(fault?.detail),
      /"monthly\[gte\]" is not a parameter .+ Did you mean `monthly_min`\?/,
    );
  });

  test('does not repeat the value of an unknown parameter: it may be a misplaced token', () => {
    const faults = faultsOf(() => numbers.ofString('token=lc_secret&password=hunter2&authorization=secret'));
    assert.doesNotMatch(JSON.stringify(faults), /secret|hunter2/);
  });

  test('takes pages up to what the deployment allows', () => {
    const small = new QueryParser(virtual_numbers, 5);
    assert.equal(small.ofString('').page_size, 5);
    assert.equal(small.ofString('page_size=5').page_size, 5);
    assert.deepEqual(named(faultsOf(() => small.ofString('page_size=6'))), ['page_size']);
    assert.equal(new QueryParser(virtual_numbers, 10_000).ofString('page_size=10000').page_size, 10_000);
  });

  test('takes a thousand values, however they are spelled, and no more', () => {
    const texts = Array.from({ length: 1_000 }, (_, i) => String(i + 1));
    for (const text of [`ids=${texts.join(',')}`, texts.map((one) => `ids[]=${one}`).join('&')]) {
      assert.equal((values(numbers.ofString(text))['ids'] as unknown[]).length, 1_000);
      assert.deepEqual(named(faultsOf(() => numbers.ofString(`${text}&ids=1`))), ['ids']);
      assert.deepEqual(
        faultsOf(() => numbers.ofString(`${text}&ids=,,&ids[]=`)),
        [],
      );
    }
  });

  test('knows the parameters of its own list only', () => {
    for (const name of ['statuses', 'country_codes', 'providers', 'is_spammed', 'is_active_spam_check']) {
      assert.deepEqual(named(faultsOf(() => services.ofString(`${name}=x`))), [name]);
    }
    for (const [list, parser] of [
      [virtual_numbers, numbers],
      [additional_services, services],
    ] as const) {
      for (const key of Object.keys(list.sorts)) assert.equal(parser.ofString(`sort_by=${key}`).sort_by, key);
    }
  });
});

describe('a query that holds every match', () => {
  for (const [use, outOfPlace] of [
    ['export', ['page', 'page_size', 'cursor']],
    ['facets', ['page', 'page_size', 'cursor', 'sort_by', 'sort_order']],
  ] as const) {
    test(`refuses ${outOfPlace.join(', ')} (${use})`, () => {
      const parser = new QueryParser(virtual_numbers, 1_000, use);
      for (const [name, value] of Object.entries({
        page: '1',
        page_size: '10',
        cursor: 'x',
        sort_by: 'id',
        sort_order: 'asc',
      })) {
        const faults = named(faultsOf(() => parser.ofString(`q=a&${name}=${value}`)));
        assert.deepEqual(faults, (outOfPlace as readonly string[]).includes(name) ? [name] : [], name);
      }
    });
  }
});

describe('a JSON body', () => {
  test('says the same as a query string', () => {
    const body = {
      ids: [3, 1],
      providers: ['Zed, Inc'],
      is_spammed: true,
      q: ' a ',
      page: 2,
      sort_order: 'desc',
      activated_after: '2026-01-01T01:00:00+01:00',
    };
    const text =
      'ids=3,1&providers[]=Zed,%20Inc&is_spammed=true&q=a&page=2&sort_order=desc&activated_after=2026-01-01T00:00:00Z';
    assert.deepEqual(numbers.ofJson(JSON.stringify(body)), numbers.ofString(text));
    assert.deepEqual(numbers.ofJson('{}'), DEFAULTS);
    assert.deepEqual(numbers.ofJson('{"ids":[],"statuses":[""],"q":""}'), DEFAULTS);
  });

  const refused: readonly [text: string, parameters: readonly string[]][] = [
    ['', ['']],
    ['{', ['']],
    ['[]', ['']],
    ['null', ['']],
    ['1', ['']],
    ['{"page":"1"}', ['page']],
    ['{"page":0}', ['page']],
    ['{"page":1.5}', ['page']],
    ['{"page":1e999}', ['page']],
    ['{"page":[1]}', ['page']],
    ['{"page":null}', ['page']],
    ['{"ids":1}', ['ids']],
    ['{"ids":["1",0,null,{},[1]]}', ['ids', 'ids', 'ids', 'ids', 'ids']],
    ['{"ids":[9007199254740992]}', ['ids']],
    ['{"is_spammed":"true"}', ['is_spammed']],
    ['{"q":1}', ['q']],
    ['{"q":"\\u0000"}', ['q']],
    ['{"q":"\\ud800"}', ['q']],
    ['{"statuses":["a\\nb"]}', ['statuses']],
    ['{"sort_by":""}', ['sort_by']],
    ['{"__proto__":1,"constructor":{}}', ['__proto__', 'constructor']],
    ['{"ids[]":[1]}', ['ids[]']],
    ['{"page":1,"cursor":"x"}', ['page']],
    ['{"page":1,"page":2}', ['page']],
  ];
  for (const [text, parameters] of refused) {
    test(`${text || 'nothing'} is refused: ${parameters.join(', ') || 'as a whole'}`, () => {
      assert.deepEqual(named(faultsOf(() => numbers.ofJson(text))), parameters);
    });
  }

  test('takes ten thousand values and no more', () => {
    const ids = Array.from({ length: 10_000 }, (_, i) => i + 1);
    assert.equal((values(numbers.ofJson(JSON.stringify({ ids })))['ids'] as unknown[]).length, 10_000);
    assert.deepEqual(named(faultsOf(() => numbers.ofJson(JSON.stringify({ ids: [...ids, 1] })))), ['ids']);
  });
});

describe('a number of a JSON body', () => {
  const details = (text: string) => faultsOf(() => numbers.ofJson(text)).map(({ detail }) => detail);
  const ids = 'Each value of ids must be an integer from 1 to 9007199254740991, but was';

  test('is judged as it is written, and not as it is rounded', () => {
    assert.deepEqual(details('{"ids":[9007199254740991.4]}'), [`${ids} "9007199254740991.4".`]);
    assert.deepEqual(
      details('{"ids":[7,[],1.00000000000000000001]}').at(-1),
      `${ids} "1.00000000000000000001".`,
    );
    assert.deepEqual(details('{"page":9007199254740993}'), [
      'page must be an integer from 1 to 9007199254740991, but was "9007199254740993".',
    ]);
    assert.deepEqual(details('{"\\u0069ds": [ 1, 18446744073709551617 ], "page": 1e400}'), [
      `${ids} "18446744073709551617".`,
      'page must be an integer from 1 to 9007199254740991, but was "1e400".',
    ]);
    assert.match(details('{"q":9007199254740993}')[0] ?? '', /but was 9007199254740993\.$/);
  });

  test('is the integer that it is, however it is spelled', () => {
    assert.equal(numbers.ofJson('{"page":9007199254740991}').page, Number.MAX_SAFE_INTEGER);
    assert.equal(numbers.ofJson('{"page":2.000000000000000000}').page, 2);
    assert.equal(numbers.ofJson('{"page":0.2e1}').page, 2);
    assert.equal(numbers.ofJson('{"page":20E-1}').page, 2);
    assert.equal(numbers.ofJson('{"q":"1.00000000000000000001","page":3}').page, 3);
  });
});

describe('a parameter that is repeated', () => {
  test('is one fault, which says how often', () => {
    const details = (read: () => Query) => faultsOf(read).map(({ detail }) => detail);
    assert.deepEqual(
      details(() => numbers.ofString('page=1&page=1')),
      ['page must be given once, but was given twice.'],
    );
    assert.deepEqual(
      details(() => numbers.ofString('page=1&page=1&page=1')),
      ['page must be given once, but was given 3 times.'],
    );
    assert.deepEqual(
      details(() => numbers.ofJson('{"page":1,"page":1,"page":1}')),
      ['page must be given once, but was given 3 times.'],
    );
  });
});

test('half of a surrogate pair is refused as what it is', () => {
  const [fault] = faultsOf(() => numbers.ofJson('{"q":"\\ud800"}'));
  assert.equal(fault?.detail, 'q must be well-formed Unicode, but holds half of a surrogate pair.');
});

describe('what a query may cost', () => {
  /** What is reported, and how many faults there are in the words of the answer. */
  function costOf(read: () => Query): { reported: readonly Fault[]; detail: string } {
    let detail = '';
    const reported = faultsOf(() => {
      try {
        return read();
      } catch (error) {
        detail = (error as Problem).message;
        throw error;
      }
    });
    return { reported, detail };
  }
  const many = (count: number, of: (i: number) => string, between: string) =>
    Array.from({ length: count }, (_, i) => of(i)).join(between);
  const suggestions = (faults: readonly Fault[]) =>
    faults.filter(({ detail }) => /did you mean/i.test(detail)).length;

  test('the first twenty faults are reported one by one, the rest by their number', () => {
    for (const count of [20, 21, 101]) {
      const { reported, detail } = costOf(() => numbers.ofString(many(count, (i) => `name${i}=1`, '&')));
      assert.equal(reported.length, 20);
      assert.ok(detail.startsWith(`${count} faults, ${count === 20 ? 'each' : 'the first 20'} in `), detail);
    }
  });

  test('a thousand faults are the last that are counted, in a query string and in a body', () => {
    const queries = [
      () => numbers.ofString(many(9_900, () => 'is_spammed=%zz', '&')),
      () =>
        numbers.ofJson(
          `{"ids":[${many(9_000, () => '0', ',')}],"statuses":[${many(9_000, () => '1', ',')}]}`,
        ),
    ];
    for (const query of queries) {
      const { reported, detail } = costOf(query);
      assert.equal(reported.length, 20);
      assert.match(detail, /^1000 or more faults, the first 20 in /);
    }
  });

  test('after 100 parameters the first one that is not known is the last that is read', () => {
    const ids = many(500, (i) => `ids=${i + 1}`, '&');
    for (const strange of ['q[]', 'n', 'n=1', '%zz', 'n[0]=1']) {
      const { detail } = costOf(() => numbers.ofString(many(9_900, () => strange, '&')));
      assert.match(detail, strange.startsWith('n') ? /^"n/ : /^101 or more faults/);
      for (const text of [`${ids}&${strange}`, `${ids}&${strange}&ids=x`])
        assert.equal(costOf(() => numbers.ofString(text)).reported.length, 1, text);
    }
    assert.equal(numbers.ofString(many(1_000, (i) => `ids=${i + 1}`, '&')).filters.length, 1);
  });

  test('nothing is meant by a value that is longer than any name', () => {
    // A pattern that reads all of it took 16 seconds for this one.
    for (const text of [`sort_by=${'_'.repeat(60_000)}1`, `sort_order=${'a'.repeat(60_000)}`]) {
      const [fault, ...others] = costOf(() => numbers.ofString(text)).reported;
      assert.match(String(fault?.detail), /^sort_\w+ must be .*, but was "[_a]{100}…"\.$/);
      assert.deepEqual(others, []);
    }
    const [fault] = costOf(() => numbers.ofString('sort_by=monthly:desc')).reported;
    assert.match(String(fault?.detail), /the direction is in `sort_order`: `monthly` with `desc`/);
  });

  test('three suggestions are looked for, whatever they are for', () => {
    const misspelled = many(9, (i) => `page_sizee${i}=1`, '&');
    for (const text of [
      misspelled,
      `country_codes=${many(9, () => 'gb', ',')}`,
      `limit=1&perpage=1&order=1&offset=1`,
    ]) {
      assert.equal(suggestions(costOf(() => numbers.ofString(text)).reported), 3, text);
    }
  });

  test('values over the limit of a list are counted and not read', () => {
    const [fault, ...others] = costOf(() =>
      numbers.ofString(`ids=${many(1_000, (i) => `${i + 1}`, ',')}${',x'.repeat(500)}`),
    ).reported;
    assert.equal(fault?.detail, 'ids takes at most 1000 values, but got 1500.');
    assert.deepEqual(others, []);
  });

  test('a cursor is read up to 32,768 characters', () => {
    assert.equal(numbers.ofString(`cursor=${'x'.repeat(32_768)}`).cursor?.length, 32_768);
    const { reported } = costOf(() => numbers.ofString(`cursor=${'x'.repeat(32_769)}`));
    assert.deepEqual(named(reported), ['cursor']);
  });

  const whole: readonly [what: string, read: () => Query, words: RegExp][] = [
    [
      'a query string of more than 10,000 parameters',
      () => numbers.ofString('ids=1&'.repeat(10_001)),
      /10000 parameters/,
    ],
    [
      'a body of more than 100 members',
      () => numbers.ofJson(`{${many(101, (i) => `"n${i}":1`, ',')}}`),
      /100 members/,
    ],
    [
      'a body that is nested deeply',
      () => numbers.ofJson(`{"ids":${'['.repeat(9)}${']'.repeat(9)}}`),
      /nested too deeply/,
    ],
    [
      'objects nested deeply',
      () => numbers.ofJson(`${'{"a":'.repeat(9)}1${'}'.repeat(9)}`),
      /nested too deeply/,
    ],
    [
      'a body of more than 20,000 values together',
      () =>
        numbers.ofJson(
          `{${['ids', 'a', 'b'].map((name) => `"${name}":[${many(9_999, () => '1', ',')}]`).join(',')}}`,
        ),
      /20000 values/,
    ],
    [
      'a body with a value more than all its lists together may have',
      () =>
        numbers.ofJson(
          JSON.stringify({
            ids: Array(10_000).fill(1),
            providers: Array(10_000).fill('a'),
            frequencies: ['a'],
          }),
        ),
      /20000 values/,
    ],
    ['a body of nothing but signs', () => numbers.ofJson(`{"ids":[${':'.repeat(70_000)}]}`), /20000 values/],
  ];
  for (const [what, read, words] of whole) {
    test(`${what} is refused as a whole, with one fault`, () => {
      const { reported } = costOf(read);
      assert.equal(reported.length, 1);
      assert.match(String(reported[0]?.detail), words);
      assert.equal(reported[0]?.parameter, '');
    });
  }

  test('what is large and still a query is read', () => {
    const full = many(1_000, (i) => String(i + 1), ',');
    assert.equal(numbers.ofString(`ids=${','.repeat(60_000)}1`).filters.length, 1);
    const lists = ['ids', 'providers', 'statuses', 'frequencies', 'dids'];
    assert.equal(numbers.ofString(lists.map((name) => `${name}=${full}`).join('&')).filters.length, 5);
    const body = {
      ids: Array(10_000).fill(1),
      providers: Array(10_000).fill('a\\"b,[{:'),
      q: 'a'.repeat(200),
    };
    assert.equal(numbers.ofJson(JSON.stringify(body)).filters.length, 2);
    assert.equal(numbers.ofJson(`{${' '.repeat(900_000)}"page":2}`).page, 2);
  });

  test('a value or a name of a megabyte is shown in part', () => {
    const long = 'x'.repeat(1_000_000);
    for (const read of [
      () =>
        numbers.ofJson(JSON.stringify({ [long]: 1, sort_by: long, q: long, is_spammed: long, ids: [long] })),
      () => numbers.ofString(`${long}=1&sort_by=${long}&q=${long}`),
    ]) {
      for (const fault of costOf(read).reported) assert.ok(JSON.stringify(fault).length < 3_000);
    }
  });
});

describe('chosen fields', () => {
  test('are in the order of the contract, each once, whatever was requested', () => {
    const { fields } = numbers.ofString('fields=monthly,did&fields[]=id&fields=did');
    assert.deepEqual(fields, ['id', 'did', 'monthly']);
    assert.deepEqual(numbers.ofJson('{"fields":["did","id"]}').fields, ['id', 'did']);
  });

  test('are absent where there is no choice', () => {
    const all = Object.keys(virtual_numbers.fields).join(',');
    for (const text of ['', 'fields=', `fields=${all}`])
      assert.equal(numbers.ofString(text).fields, undefined);
  });

  test('are refused where nothing has that name, with the nearest that does', () => {
    const [fault] = faultsOf(() => numbers.ofString('fields=countr'));
    assert.match(String(fault?.detail), /one of id, did.*but was "countr"; did you mean `country`\?/);
  });

  test('may be chosen for a page, an export and one item, and not for facets', () => {
    for (const use of ['page', 'export', 'item'] as const) {
      const parser = new QueryParser(virtual_numbers, 1_000, use);
      assert.deepEqual(parser.ofString('fields=id').fields, ['id']);
    }
    const facets = new QueryParser(virtual_numbers, 1_000, 'facets');
    assert.deepEqual(named(faultsOf(() => facets.ofString('fields=id'))), ['fields']);
  });

  test('are all that one item takes', () => {
    const item = new QueryParser(virtual_numbers, 1_000, 'item');
    const others = ['q=a', 'ids=1', 'page=1', 'sort_by=id', 'created_from=2026-01-01'];
    for (const text of others)
      assert.deepEqual(named(faultsOf(() => item.ofString(text))), [text.split('=')[0]]);
  });
});

describe('times and telephone numbers', () => {
  const value = (text: string) => numbers.ofString(text).filters[0]?.value;

  test('a plain date stays a date, and every timestamp has the one form', () => {
    for (const side of ['after', 'before', 'from', 'to']) {
      assert.equal(value(`created_${side}=2024-02-29`), '2024-02-29');
      assert.equal(value(`created_${side}=2024-02-29T01:00:00+01:00`), '2024-02-29T00:00:00.000000Z');
    }
  });

  test('a day that the calendar has not is refused', () => {
    for (const day of [
      '2023-02-29',
      '2026-13-01',
      '2026-00-01',
      '2026-01-32',
      '2026-1-1',
      '20260101',
      '2026-01-01Z',
    ]) {
      assert.deepEqual(named(faultsOf(() => numbers.ofString(`created_from=${day}`))), ['created_from'], day);
    }
  });

  test('all spellings of one number are one value, written in the shortest', () => {
    const spelled = ['+442079460018', '00442079460018', '+44 (0)20 7946 0018', '44-20-7946-0018'];
    const query = numbers.ofString(spelled.map((one) => `dids=${encodeURIComponent(one)}`).join('&'));
    assert.deepEqual(query.filters[0]?.value, ['442079460018']);
    assert.equal(formatSelection(query), 'dids=442079460018');
  });

  test('a number without a digit is refused, and one that is too long', () => {
    for (const text of ['alice', '%2B', '00', '(0)', '1'.repeat(101)]) {
      assert.deepEqual(named(faultsOf(() => numbers.ofString(`dids=${text}`))), ['dids'], text);
    }
  });

  test('what is no telephone number is refused with what it looks like', () => {
    const reasons: readonly (readonly [text: string, reason: string])[] = [
      ['442079460018.0', 'it looks like a decimal. Give the digits of the number alone'],
      ['4.42E+11', 'a spreadsheet has shortened the number, and its digits are lost'],
      ['442079460018-442079460027', 'it looks like a range; give each of its numbers by itself'],
      ['442079460018%20442079460019', 'it looks like more than one number'],
      ['2026-11-20', 'it looks like a date'],
      ['192.168.0.1', 'it looks like an IPv4 address'],
      ['12345678901234567890', 'it has 20 digits, and a telephone number has at most 15'],
    ];
    for (const [text, reason] of reasons) {
      const [fault] = faultsOf(() => numbers.ofString(`dids=442079460018,${text}`));
      assert.ok(fault?.detail.includes(`": ${reason}`), String(fault?.detail));
      assert.equal(numbers.ofString(`q=${text}`).q, decodeURIComponent(text.replaceAll('+', ' ')));
    }
  });

  test('of a number only the digits count, whatever else stands in it', () => {
    for (const text of ['tel:442079460018', '+44 20 7946 0018 (work)', '44_2079460018']) {
      const { filters } = numbers.ofString(`dids=${encodeURIComponent(text)}`);
      assert.deepEqual(filters, numbers.ofString('dids=442079460018').filters);
    }
  });

  test('a time has any number of fractional digits, of which as many as compare are in links', () => {
    const written: readonly (readonly [given: string, canonical: string])[] = [
      ['2026-11-20T09:30:00.1234567Z', '2026-11-20T09:30:00.1234567Z'],
      ['2026-11-20T09:30:00.123456000Z', '2026-11-20T09:30:00.123456Z'],
      ['2026-11-20T10:30:00.9999999%2B01:00', '2026-11-20T09:30:00.9999999Z'],
      [`2026-11-20T09:30:00.${'0'.repeat(1_000)}1Z`, '2026-11-20T09:30:00.000000000000000001Z'],
      [`2026-11-20T09:30:00.${'3'.repeat(1_000)}Z`, `2026-11-20T09:30:00.${'3'.repeat(18)}Z`],
    ];
    for (const [given, canonical] of written) {
      const query = numbers.ofString(`created_from=${given}`);
      assert.equal(query.filters[0]?.value, canonical);
      assert.deepEqual(numbers.ofString(formatSelection(query)), query);
    }
  });

  test('a time that is written otherwise is refused with what to write', () => {
    const inUtc = (time: string) =>
      `write ${time} for that time in UTC, or with the offset of your zone, such as ${time.replace('Z', '+01:00')}`;
    const hints: readonly (readonly [text: string, hint: string])[] = [
      ['2026-11-20 09:30:00', inUtc('2026-11-20T09:30:00Z')],
      ['2026-11-20T09:30:00', inUtc('2026-11-20T09:30:00Z')],
      ['2026-11-20T09:30', inUtc('2026-11-20T09:30:00Z')],
      ['2026-11-20T09:30Z', 'write 2026-11-20T09:30:00Z'],
      ['2026-11-20 09:30:00%2B0100', 'write 2026-11-20T09:30:00+01:00'],
      ['2026-11-20T09:30:00%2B01', 'write 2026-11-20T09:30:00+01:00'],
      ['2026-11-20 09:30:00,5 UTC', 'write 2026-11-20T09:30:00.5Z'],
      ['20261120T093000Z', 'write 2026-11-20T09:30:00Z'],
      ['1795167000', 'write 2026-11-20T09:30:00Z'],
      ['1795167000123', 'write 2026-11-20T09:30:00.123000Z'],
    ];
    for (const [text, hint] of hints) {
      const [fault] = faultsOf(() => numbers.ofString(`created_from=${text}`));
      assert.ok(fault?.detail.endsWith(`": ${hint}.`), String(fault?.detail));
      const [, time = ''] = /^write (\S+)/.exec(hint) ?? [];
      assert.equal(numbers.ofString(`created_from=${encodeURIComponent(time)}`).filters.length, 1);
    }
  });

  test('a time that RFC 3339 allows, and this does not, is refused with the reason', () => {
    const reasons: readonly (readonly [text: string, reason: string])[] = [
      ['9999-12-31T23:59:59-01:00', 'in UTC it is outside the years 0000 to 9999'],
      ['0000-01-01T00:00:00%2B01:00', 'in UTC it is outside the years 0000 to 9999'],
    ];
    for (const [text, reason] of reasons) {
      const [fault] = faultsOf(() => numbers.ofString(`created_from=${text}`));
      assert.ok(fault?.detail.endsWith(`": ${reason}.`), String(fault?.detail));
    }
    for (const text of ['2026-02-30T00:00:00Z', '2026-02-30T00:00:00.1234567Z', 'x.1234567']) {
      const [fault] = faultsOf(() => numbers.ofString(`created_from=${text}`));
      assert.ok(fault?.detail.endsWith(`but was "${text}".`), String(fault?.detail));
    }
  });
});

describe('a query for changes', () => {
  const page = new QueryParser(lists.virtual_numbers, 1_000, 'changes');
  const stream = new QueryParser(lists.virtual_numbers, 1_000, 'change_stream');

  test('takes filters, a search, fields, the size of a page and a token', () => {
    const { since, page_size, q, fields, filters } = page.ofString(
      'since=abc&page_size=50&q=desk&fields=did&country_codes=DE',
    );
    assert.deepEqual(
      { since, page_size, q, fields },
      { since: 'abc', page_size: 50, q: 'desk', fields: ['did'] },
    );
    assert.equal(filters.length, 1);
    assert.equal(stream.ofJson('{"since":"now"}').since, 'now');
    assert.equal(page.ofString('').since, undefined);
  });

  test('takes no order and no place in it, and a stream no size of a page', () => {
    for (const text of [
      'sort_by=did',
      'sort_order=desc',
      'page=1',
      'cursor=x',
      'since=',
      'since=a&since=b',
    ]) {
      const name = text.slice(0, text.indexOf('='));
      assert.deepEqual(named(faultsOf(() => page.ofString(text))), [name], text);
    }
    assert.deepEqual(named(faultsOf(() => stream.ofString('page_size=5'))), ['page_size']);
  });

  test('has a token of its own: no other query knows it', () => {
    assert.deepEqual(named(faultsOf(() => numbers.ofString('since=now'))), ['since']);
  });
});

describe('a selection', () => {
  const text = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
    .filter((one) => !/\p{Cc}/u.test(one) && one.isWellFormed());
  const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

  /** Parameters as a program would give them. */
  const paramsOf = (list: List) =>
    fc.record(
      {
        ids: fc.uniqueArray(id, { maxLength: 5 }),
        frequencies: fc.uniqueArray(
          fc.oneof(text, fc.constantFrom('a,b', ' a', 'a+b', '%2C', 'a&b=c', '[]')),
          { maxLength: 4 },
        ),
        activated_before: fc.constantFrom('2026-01-01T00:00:00.000001Z', '2026-01-01'),
        next_payment_to: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01'),
        fields: fc.subarray(Object.keys(list.fields)),
        q: text,
        sort_by: fc.constantFrom(...Object.keys(list.sorts)),
        sort_order: fc.constantFrom('asc', 'desc'),
      },
      { requiredKeys: [] },
    );

  for (const list of Object.values(lists)) {
    test(`of ${list.name} is written so that it reads the same again, and only in ASCII`, () => {
      const parser = new QueryParser(list);
      fc.assert(
        fc.property(paramsOf(list), (params) => {
          // All fields are the same as none, except that they name the charges.
          const { charged: _, ...query } = parser.ofJson(JSON.stringify(params));
          const written = formatSelection(query);
          const { charged: __, ...again } = parser.ofString(written);
          assert.deepEqual(again, query);
          assert.equal(formatSelection(parser.ofString(written)), written);
          assert.match(written, /^[\x21-\x7e]*$/);
          assert.doesNotMatch(written, /[<>"\\^`{}|]/);
        }),
        { numRuns: 500 },
      );
    });
  }

  test('says which of its parameters need charges', () => {
    const all = Object.keys(lists.virtual_numbers.fields).join();
    for (const [text, charged] of [
      ['', undefined],
      ['fields=did&sort_by=status', undefined],
      ['fields=did,incoming', ['fields']],
      [`fields=${all}`, ['fields']],
      ['sort_by=amount_subscription', ['sort_by']],
      ['sort_by=amount_one_time&fields=activation', ['fields', 'sort_by']],
    ] as const) {
      assert.deepEqual(numbers.ofString(text).charged, charged, text);
    }
  });

  test('that means the same is written the same', () => {
    for (const [one, other] of [
      ['ids=1,2', 'ids[]=1&ids[1]=2'],
      ['', 'sort_by=_default&sort_order=asc&page=7&page_size=3&q='],
      ['statuses=a&ids=1', 'ids=1&statuses=a'],
      ['activated_after=2026-01-01T00:00:00Z', 'activated_after=2026-01-01T01:00:00.0%2B01:00'],
    ] as const) {
      assert.equal(formatSelection(numbers.ofString(one)), formatSelection(numbers.ofString(other)));
    }
  });
});
