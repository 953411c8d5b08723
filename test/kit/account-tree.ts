// A tree of accounts of four levels, and who of it may read whom, as the tests know it.

import assert from 'node:assert/strict';
import type { Store } from '../../server/store/store.ts';
import { secured } from './copies.ts';
import { hardRows } from './hard-rows.ts';
import { type ModelRow, virtual_numbers } from './model.ts';
import { numberRow } from './rows.ts';
import { databaseOf, type ServiceAnswer, type StoreKind, stores } from './service.ts';

/** Account to parent. */
export const PARENTS: Readonly<Record<string, string | null>> = {
  reseller: null,
  'Köln, 100 %': 'reseller',
  a2: 'reseller',
  'a1/b1': 'Köln, 100 %',
  b2: 'a2',
  'c 1': 'a1/b1',
  c2: 'a1/b1',
  rival: null,
  'rival/1': 'rival',
};

export const TREE = Object.keys(PARENTS);

/** The accounts that are directly below one, by code point. */
export const childrenOf = (id: string) => TREE.filter((one) => PARENTS[one] === id).toSorted();

export function isBelow(id: string, above: string): boolean {
  const parent = PARENTS[id] ?? null;
  return parent !== null && (parent === above || isBelow(parent, above));
}

const NUMBERS = 4;
const service: ModelRow =
  hardRows.additional_services.find(({ category }) => category === 'additional') ?? assert.fail();

export const treeRows: Readonly<Record<'virtual_numbers' | 'additional_services', readonly ModelRow[]>> = {
  virtual_numbers: TREE.flatMap((id, i) =>
    Array.from({ length: NUMBERS + i }, (_, j) => numberRow(id, 1 + i * 100 + j, { comment: `of ${id}` })),
  ),
  additional_services: TREE.map((id, i) => ({ ...service, account_id: id, id: 1 + i })),
};

export async function move(store: Store, id: string, parent: string | null): Promise<void> {
  const text = `update accounts set parent_id = $1 where id = $2`;
  await store.write({ text, values: [parent, id] });
}

export async function buildTree(store: Store): Promise<void> {
  for (const [id, parent] of Object.entries(PARENTS)) await move(store, id, parent);
}

/** Every store, and PostgreSQL with row security. */
export const storesOfTree: readonly StoreKind[] = stores.flatMap((kind) =>
  kind.name === 'SQLite'
    ? [kind]
    : [
        kind,
        {
          name: `${kind.name} with row security`,
          share: kind.share,
          make: async () => secured(await databaseOf(kind)),
        },
      ],
);

/** Of every kind of answer about a list, and of what has happened. */
export const ADDRESSES = [
  ...['', '?page_size=2', '/1', '/101', '.csv', '.ndjson', '/facets', '/changes', '?q=of'].map(
    (rest) => virtual_numbers.path + rest,
  ),
  '/api/v1/activity?events=added',
];

/** An answer without what is of its request alone: the same for each caller that reads the account. */
export function plain({ status, body, headers }: ServiceAnswer) {
  const { date: _, 'x-request-id': _id, 'linecard-account': _account, link = '', ...others } = headers;
  const rest: Readonly<Record<string, string>> = others;
  const sealed = (text: string) => text.replaceAll(/(cursor|since)(=|":")[\w-]+/g, '$1…');
  return {
    status,
    body: sealed(body).replaceAll(/"request_id":"[^"]*"/g, ''),
    headers: { ...rest, link: sealed(link) } as Readonly<Record<string, string>>,
  };
}
