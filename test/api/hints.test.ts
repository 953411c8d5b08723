// "Did you mean …?" followed: each hint is sent back, and finds what the name that was tried says.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { listTestOf, type ModelList, type ModelRow, millionths, modelLists } from '../kit/model.ts';
import { openService, type Service, type StoreKind, stores } from '../kit/service.ts';

type Wanted = (row: ModelRow) => boolean;

/** What is tried: a query, and the rows that it means. */
interface Attempt {
  readonly tried: string;
  readonly value: string;
  readonly means: Wanted;
}

const NEGATIONS = ['not_X', 'X_not', 'X!', 'X__n', 'X_ne', 'X__not', '-X', 'without_X', 'exclude_X', 'no_X'];
const NAMES: Readonly<Record<string, readonly string[]>> = {
  ids: ['ids', 'id'],
  frequencies: ['frequencies', 'frequency'],
  subscription_statuses: ['subscription_statuses', 'subscription_status'],
  statuses: ['statuses', 'status'],
  country_codes: ['country_codes', 'country_code', 'country'],
  providers: ['providers', 'provider', 'carrier'],
};
const LOWER = ['min_X', 'X_gte', 'X.gte', 'X_from', 'X>'];
const UPPER = ['max_X', 'X_lte', 'X.lte', 'X_to', 'X<'];
const CHARGES: Readonly<Record<string, readonly string[]>> = {
  monthly: ['monthly', 'price'],
  incoming: ['incoming'],
};
const NULLS: readonly [form: string, value: string, isSet: boolean][] = [
  ['X_at', 'null', false],
  ['X_at', '', false],
  ['no_X', 'true', false],
  ['no_X', 'false', true],
  ['X_is_null', 'true', false],
  ['X_is_null', 'false', true],
  ['X_isnull', '1', false],
  ['X_not_null', 'true', true],
  ['has_X_at', 'true', true],
  ['has_X_at', 'false', false],
  ['missing_X', 'true', false],
];

function attemptsAt(list: ModelList, rows: readonly ModelRow[]): Attempt[] {
  const excluding = Object.entries(NAMES).flatMap(([filter, names]) => {
    const [, field = ''] = list.filters[filter] ?? [];
    const one = rows.find((row) => row[field] !== '')?.[field];
    const value = String(one);
    return field === ''
      ? []
      : names.flatMap((name) =>
          NEGATIONS.map((form) => {
            return { tried: form.replace('X', name), value, means: (row: ModelRow) => row[field] !== one };
          }),
        );
  });
  const bounds = Object.entries(CHARGES).flatMap(([field, names]) =>
    field in list.fields
      ? names.flatMap((name) => {
          const at = (row: ModelRow) => millionths(String(row[field]));
          const of = (forms: readonly string[], means: Wanted) =>
            forms.map((form) => ({ tried: form.replace('X', name), value: '2.25', means }));
          return [...of(LOWER, (row) => at(row) >= 2_250_000n), ...of(UPPER, (row) => at(row) <= 2_250_000n)];
        })
      : [],
  );
  const sets = NULLS.map(([form, value, isSet]) => {
    const means = (row: ModelRow) => (row['next_payment_at'] !== null) === isSet;
    return { tried: form.replace('X', 'next_payment'), value, means };
  });
  return [...excluding, ...bounds, ...sets];
}

describe('a hint that is followed', () => {
  let service: Service;
  before(async () => {
    service = await openService(stores[0] as StoreKind, { accounts: [LARGE_ACCOUNT], rows: hardRows });
  });
  after(() => service.close());

  for (const list of modelLists)
    test(`finds the ${list.name} that were meant, never the others`, async () => {
      const rows = hardRows[list.name]
        .filter((row) => row.account_id === LARGE_ACCOUNT)
        .filter((row) => Object.entries(list.only).every(([field, value]) => row[field] === value));
      const attempts = attemptsAt(list, rows);
      assert.ok(attempts.length > 50);
      for (const { tried, value, means } of attempts) {
        const query = `${encodeURIComponent(tried)}=${encodeURIComponent(value)}`;
        const refused = await service.ask(LARGE_ACCOUNT, `${list.path}?${query}`);
        assert.equal(refused.status, 400, query);
        const [{ detail }] = JSON.parse(refused.body).errors;
        const [hint = ''] = /(?<=Did you mean `)[^`]+(?=`\?$)/.exec(detail) ?? [];
        assert.ok(hint !== '', `${query}: ${detail}`);
        const param = hint.includes('=') ? hint : `${hint}[]=${encodeURIComponent(value)}`;
        const [test] = list.filters[hint] ?? [];
        const single = test !== undefined && listTestOf(test) === undefined;
        const { status, body } = await service.ask(
          LARGE_ACCOUNT,
          `${list.path}?page_size=1000&${single ? param.replace('[]', '') : param}`,
        );
        assert.equal(status, 200, `${query}: ${body}`);
        assert.deepEqual(
          JSON.parse(body).data.map(({ id }: ModelRow) => id),
          rows
            .filter(means)
            .map(({ id }) => id)
            .toSorted((a, b) => a - b),
          `${query}: ${hint}`,
        );
      }
    });
});
