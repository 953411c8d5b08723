// Facets that a service is asked for, at random, and compared with the model's.

import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Model, ModelList } from './model.ts';
import type { Service } from './service.ts';

/** What facets take in addition to filters. */
export interface Money {
  readonly due_days?: number;
  readonly charges?: boolean;
}

export const money: fc.Arbitrary<Money> = fc.record(
  { due_days: fc.integer({ min: 1, max: 366 }), charges: fc.boolean() },
  { requiredKeys: [] },
);

interface FacetQuestion {
  readonly list: ModelList;
  readonly account_id: string;
  /** The filters. */
  readonly query: string;
  readonly money: Money;
}

export const withoutPaging = (query: string) => query.replace(/(?:^|&)(?:page|page_size)=[^&]*/g, '');
export const withoutOrder = (query: string) => query.replace(/(?:^|&)(?:sort_by|sort_order)=[^&]*/g, '');

/** A JSON value with every number as the text that it was written as: a double would hide noise. */
export function withNumbersAsWritten(json: string): unknown {
  const reviver = (_: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? context?.source : value;
  return JSON.parse(json, reviver as Parameters<typeof JSON.parse>[1]);
}

/** A refusal names these parameters. */
export function mustName(body: string, parameters: ReadonlySet<string>): void {
  const { errors } = JSON.parse(body);
  const named = errors.map(({ parameter }: { parameter: string }) =>
    parameter.replace(/(?<=^[a-z_]+)\[\d*\]$/, ''),
  );
  assert.deepEqual(new Set(named), parameters);
}

/** The service answers what the model says, at a time between the question and the answer. */
export async function mustBeFacets(
  service: Service,
  model: Model,
  { list, account_id, query, money: more }: FacetQuestion,
): Promise<void> {
  const expectedNow = () => model.expectFacets(list, account_id, query, BigInt(Date.now()) * 1_000n, more);
  const expected = expectedNow();
  const url = [query, ...Object.entries(more).map(([name, value]) => `${name}=${value}`)].join('&');
  const { status, body } = await service.ask(account_id, `${list.path}/facets?${url}`);
  assert.equal(status, expected.status, body);
  if (expected.status === 400) return mustName(body, expected.parameters);
  const answered = withNumbersAsWritten(body);
  if (isDeepStrictEqual(answered, expected.facets)) return;
  // What is due by day changes at midnight, and when a payment is overdue.
  const later = expectedNow();
  assert.ok(later.status === 200);
  assert.deepEqual(answered, later.facets);
}
