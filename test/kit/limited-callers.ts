// Two tokens of one account, one with charges and one without, that send the same requests at random and
// interleaved: the one without gets what the other gets with `fields` of everything else, to the byte.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hardQuery } from './hard-queries.ts';
import { hardRows, LARGE_ACCOUNT } from './hard-rows.ts';
import { type ModelList, modelLists } from './model.ts';
import { tenThousandIds } from './rows.ts';

/** The end of the path of each kind of answer. */
const KINDS = {
  page: '',
  item: '/',
  csv: '.csv',
  ndjson: '.ndjson',
  xlsx: '.xlsx',
  facets: '/facets',
  changes: '/changes',
  'change stream': '/changes',
} as const;
const NDJSON = 'application/x-ndjson';

export interface Tokens {
  readonly withCharges: string;
  readonly without: string;
}

interface Got {
  readonly status: number;
  readonly etag: string | null;
  readonly bytes: Buffer;
}

const idsOf = ({ name, only }: ModelList) =>
  hardRows[name]
    .filter((row) => row.account_id === LARGE_ACCOUNT)
    .filter((row) => Object.entries(only).every(([field, value]) => row[field] === value))
    .map(({ id }) => id);
const isCharge = (list: ModelList, field = '') => list.fields[field] === 'charge';
const plainFields = (list: ModelList, fields: readonly string[]) =>
  (fields.length === 0 ? Object.keys(list.fields) : fields).filter((field) => !isCharge(list, field));
const withoutPairs = (names: RegExp, query: string) =>
  query
    .split('&')
    .filter((pair) => !names.test(pair))
    .join('&');

const requests = fc.constantFrom(...modelLists).chain((list) =>
  fc.record({
    list: fc.constant(list),
    kind: fc.constantFrom(...(Object.keys(KINDS) as (keyof typeof KINDS)[])),
    id: fc.constantFrom(...idsOf(list)),
    /** A query string that chooses no fields. */
    query: hardQuery(list).map((text) => withoutPairs(/^fields/, text)),
    /** Those of facets. */
    options: fc.constantFrom<{ due_days?: number; charges?: boolean }[]>(
      {},
      {},
      { due_days: 84 },
      { due_days: 366, charges: true },
      { charges: true },
    ),
    fields: fc.oneof(
      { weight: 2, arbitrary: fc.constant<string[]>([]) },
      { weight: 1, arbitrary: fc.subarray(plainFields(list, [])) },
      { weight: 1, arbitrary: fc.subarray(Object.keys(list.fields)) },
    ),
    /** As the body of a QUERY: short, or long enough that a worker thread reads it. */
    inBody: fc.constantFrom('no', 'no', 'short', 'long'),
    /** In which order the tokens ask: each twice, concurrently. */
    order: fc.shuffledSubarray<keyof Tokens>(['withCharges', 'without', 'withCharges', 'without'], {
      minLength: 4,
    }),
  }),
);
type RandomRequest = typeof requests extends fc.Arbitrary<infer T> ? T : never;

/** What a caller without charges must see of facets. */
function facetsWithout(text: string): string {
  const { overdue, due_by_day, ...facets } = JSON.parse(text);
  const counts = ({ count }: { count: number }) => ({ count });
  const due = Object.entries<{ count: number }>(facets.due).map(([days, one]) => [days, counts(one)]);
  const { facets: each, ...rest } = facets;
  return JSON.stringify({
    ...rest,
    currency: null,
    sums: {},
    due: Object.fromEntries(due),
    ...(overdue && {
      overdue: counts(overdue),
      due_by_day: due_by_day.map((one: { day: string; count: number }) => ({ day: one.day, ...counts(one) })),
    }),
    facets: each,
  });
}

export class LimitedCallers {
  readonly #base: string;
  readonly #tokens: Tokens;
  readonly counts = { answered: 0, forbidden: 0, refused: 0 };

  constructor(port: number, tokens: Tokens) {
    this.#base = `http://127.0.0.1:${port}`;
    this.#tokens = tokens;
  }

  async run(numRuns: number): Promise<void> {
    await fc.assert(
      fc.asyncProperty(requests, (one) => this.#mustHold(one)),
      { numRuns },
    );
  }

  async #ask(who: keyof Tokens, one: RandomRequest, fields: readonly string[], etag?: string): Promise<Got> {
    const { list, kind, id } = one;
    const url = this.#base + list.path + KINDS[kind] + (kind === 'item' ? id : '');
    const headers: Record<string, string> = { authorization: `Bearer ${this.#tokens[who]}` };
    if (kind === 'change stream') headers['accept'] = NDJSON;
    if (etag !== undefined) headers['if-none-match'] = etag;
    const chosen = kind === 'facets' || fields.length === 0 ? {} : { fields: [...fields] };
    const inBody = one.inBody !== 'no' && kind !== 'item';
    const options = kind === 'facets' ? one.options : {};
    const text = [
      kind === 'item' ? '' : this.#queryOf(one),
      chosen.fields ? `fields=${fields.join()}` : '',
      ...Object.entries(options).map((pair) => pair.join('=')),
    ];
    const answer = inBody
      ? await fetch(url, {
          method: 'QUERY',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({
            ...this.#orderOf(one),
            ...chosen,
            ...options,
            ids: one.inBody === 'long' ? tenThousandIds(idsOf(one.list)) : [],
          }),
        })
      : await fetch(`${url}?${text.filter(Boolean).join('&')}`, { headers });
    const bytes = Buffer.from(await answer.arrayBuffer());
    // More files at once than an account may take.
    if (answer.status === 429) return this.#ask(who, one, fields, etag);
    return { status: answer.status, etag: answer.headers.get('etag'), bytes };
  }

  #queryOf({ kind, query }: RandomRequest): string {
    if (kind === 'page') return query;
    return withoutPairs(KINDS[kind].startsWith('.') ? /^page/ : /^(?:page|sort_)/, query);
  }

  /** The order of the query, for a body, if the answer has one. */
  #orderOf(one: RandomRequest): Record<string, string> {
    const pairs = [...new URLSearchParams(this.#queryOf(one))];
    return Object.fromEntries(pairs.filter(([name]) => /^sort_(?:by|order)$/.test(name)));
  }

  /** The parameters that need charges. */
  #named(one: RandomRequest): string[] {
    const { list, kind, fields } = one;
    const inFields = kind !== 'facets' && fields.some((field) => isCharge(list, field));
    const { sort_by = '' } = kind === 'item' ? {} : this.#orderOf(one);
    const given = kind === 'item' || one.inBody !== 'no' ? [] : [...new URLSearchParams(one.query).keys()];
    return [
      ...Object.keys(list.filters).filter(
        (name) => given.includes(name) && isCharge(list, list.filters[name]?.[1]),
      ),
      ...(inFields ? ['fields'] : []),
      ...(isCharge(list, list.sorts[sort_by]) ? ['sort_by'] : []),
      ...(kind === 'facets' && one.options.charges ? ['charges'] : []),
    ];
  }

  async #mustHold(one: RandomRequest): Promise<void> {
    const { list, kind, fields, order } = one;
    const answers = await Promise.all(
      order.map(async (who) => [who, await this.#ask(who, one, fields)] as const),
    );
    const those = (who: keyof Tokens) => answers.flatMap(([caller, got]) => (caller === who ? [got] : []));
    const [full, limited] = [those('withCharges')[0], those('without')] as [Got, Got[]];
    const named = this.#named(one);
    if (full.status >= 400) {
      this.counts.refused += 1;
      for (const { status } of limited) assert.equal(status, full.status);
      return;
    }
    assert.equal(full.status, 200, String(full.bytes));
    if (named.length > 0) {
      this.counts.forbidden += 1;
      for (const { status, bytes } of limited) {
        const { type, errors } = JSON.parse(String(bytes));
        assert.deepEqual([status, type], [403, 'urn:linecard:problem:forbidden'], String(bytes));
        assert.deepEqual(
          errors.map(({ parameter }: { parameter: string }) => parameter).toSorted(),
          named.toSorted(),
        );
      }
      return;
    }
    this.counts.answered += 1;
    const expected =
      kind === 'facets'
        ? Buffer.from(facetsWithout(String(full.bytes)))
        : (await this.#ask('withCharges', one, plainFields(list, fields))).bytes;
    for (const { status, etag, bytes } of limited) {
      assert.equal(status, 200, String(bytes));
      assert.ok(bytes.equals(expected), `${String(bytes)}\nrather than\n${String(expected)}`);
      assert.notEqual(etag, full.etag);
      assert.equal((await this.#ask('without', one, fields, String(full.etag))).status, 200);
      assert.equal((await this.#ask('without', one, fields, String(etag))).status, 304);
      assert.equal((await this.#ask('withCharges', one, fields, String(etag))).status, 200);
    }
    for (const { bytes } of those('withCharges')) assert.ok(bytes.equals(full.bytes));
  }
}
