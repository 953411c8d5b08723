// The requests of the bench are the same for every system, and find existing rows.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { benchAccounts, searchable } from './data.ts';
import { JOBS, type Job, requestsOf } from './jobs.ts';

const accounts = benchAccounts();
const deployment = {
  accounts,
  tokens: new Map(accounts.map(({ id }) => [id, `token of ${id}`])),
  database_url: '',
};
const etags = new Map<string, string>();
const job = (name: string) => JOBS.find((one) => one.name === name) as Job;

describe('the requests of the bench', () => {
  for (const one of JOBS) {
    test(`${one.name}: the same in the same round, different in the next`, () => {
      const ask = (round: number) => requestsOf(one, deployment, etags, round, 200);
      assert.deepEqual(ask(1), ask(1));
      if (one.kind !== 'huge') assert.notDeepEqual(ask(1), ask(2));
    });
  }

  test('a search is for 3 to 6 characters that occur in the account', () => {
    const of = new Map(accounts.map((account) => [`token of ${account.id}`, account]));
    const requests = requestsOf(job('J3'), deployment, etags, 0, 300);
    for (const { path, headers } of requests) {
      const q = new URL(path, 'http://localhost').searchParams.get('q') ?? '';
      assert.ok(q.length >= 3 && q.length <= 6 && q.trim() === q && !q.startsWith('0'), q);
      const { first, numbers } = of.get(String(headers['authorization'])) ?? { first: 0, numbers: 0 };
      const ids = Array.from({ length: numbers }, (_, i) => first + i);
      assert.ok(
        ids.some((id) => {
          const { did, comment } = searchable(id);
          return did.includes(q) || comment.includes(q);
        }),
        q,
      );
    }
    assert.ok(new Set(requests.map(({ path }) => path)).size > 25);
  });

  test('ids are consecutive over all accounts, also with more accounts', () => {
    let next = 1;
    for (const { first, numbers } of benchAccounts(2)) {
      assert.equal(first, next);
      next += numbers;
    }
    assert.equal(next - 1, 2 * 403_609);
  });
});
