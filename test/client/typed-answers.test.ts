// The types that a program sees are what the contract says, no more and no less, each with its sentence. The
// first half derives them from the contract a second time, for `npm run types` to compare: it fails where one
// of them differs.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { AccountBelow } from '../../api/client/client.ts';
import type { accounts } from '../../api/contract/accounts.ts';
import type { additional_services } from '../../api/contract/additional-services.ts';
import { lists } from '../../api/contract/contract.ts';
import type { DayPayments, DUE_DAYS, Due, Facet, Payments } from '../../api/contract/facets.ts';
import type { Field, Filter, List, ListTest } from '../../api/contract/list.ts';
import type { virtual_numbers } from '../../api/contract/virtual-numbers.ts';
import type { AdditionalServices } from '../../api/lists/additional-services.ts';
import type { VirtualNumbers } from '../../api/lists/virtual-numbers.ts';

type Known<F extends Field> = F['kind'] extends 'integer' | 'charge'
  ? number
  : F['kind'] extends 'flag'
    ? boolean
    : F extends { known: readonly (infer Value extends string)[] }
      ? Value | (string & {})
      : string;

type ShapeOf<F extends List['fields']> = {
  -readonly [N in keyof F]: Known<F[N]> | (F[N] extends { nullable: true } ? null : never);
};

type OwnName = `x_${string}`;
type OwnFilters = {
  readonly [N in OwnName | `has_${OwnName}`]?: string | number | boolean | readonly (string | number)[];
};

type ItemOf<L extends List> = ShapeOf<L['fields']> & Record<OwnName, string | number | boolean | null>;

type FilterValue<L extends List, F extends Filter> = F['test'] extends ListTest
  ? readonly Known<L['fields'][F['field']]>[]
  : F['test'] extends 'is' | 'set'
    ? boolean
    : F['test'] extends 'min' | 'max'
      ? number
      : string;

type FiltersOf<L extends List> = {
  readonly [N in keyof L['filters']]?: FilterValue<L, L['filters'][N]> | undefined;
} & { readonly q?: string | undefined } & OwnFilters;

type SelectionOf<L extends List> = FiltersOf<L> & {
  readonly sort_by?: keyof L['sorts'] | OwnName | undefined;
  readonly sort_order?: 'asc' | 'desc' | undefined;
};

type WalkOf<L extends List> = SelectionOf<L> & { readonly page_size?: number | undefined };

type QueryOf<L extends List> = WalkOf<L> & {
  readonly page?: number | undefined;
  readonly cursor?: string | undefined;
};

type ChargeNames<L extends List> = {
  [N in keyof L['fields']]: L['fields'][N] extends { kind: 'charge'; rate?: never } ? N : never;
}[keyof L['fields']];

type NumberName<L extends List> = L extends { searchDigits: infer Name } ? Name : never;

type FacetNames<L extends List> = {
  [N in keyof L['filters']]: L['filters'][N]['test'] extends 'is'
    ? N
    : L['filters'][N]['test'] extends 'any'
      ? L['filters'][N]['field'] extends 'id' | NumberName<L>
        ? never
        : N
      : never;
}[keyof L['filters']];

interface FacetsOf<L extends List> {
  readonly total: number;
  readonly currency: string | null;
  readonly sums: { readonly [N in ChargeNames<L> | OwnName]: number };
  readonly due: { readonly [Days in (typeof DUE_DAYS)[number]]: Due };
  readonly overdue?: Payments;
  readonly due_by_day?: readonly DayPayments[];
  readonly facets: Flat<
    { readonly [N in FacetNames<L>]: Facet<Known<L['fields'][L['filters'][N]['field']]>> } & {
      readonly [N in OwnName]: Facet<string> | Facet<boolean>;
    }
  >;
}

/** All members in one object, for intersections and chains of interfaces to compare alike. */
type Flat<T> = { [N in keyof T]: T[N] };
type Same<A, B> =
  (<T>() => T extends Flat<A> ? 1 : 2) extends <T>() => T extends Flat<B> ? 1 : 2 ? true : false;

type Agreement<Types extends Record<keyof VirtualNumbers, object>, L extends List> = {
  readonly item: Same<Types['item'], ItemOf<L>>;
  readonly filters: Same<Types['filters'], FiltersOf<L>>;
  readonly selection: Same<Types['selection'], SelectionOf<L>>;
  readonly walk: Same<Types['walk'], WalkOf<L>>;
  readonly query: Same<Types['query'], QueryOf<L>>;
  readonly facets: Same<Types['facets'], FacetsOf<L>>;
};

const ALL = { item: true, filters: true, selection: true, walk: true, query: true, facets: true } as const;
const AGREEMENT = {
  virtual_numbers: ALL satisfies Agreement<VirtualNumbers, typeof virtual_numbers>,
  additional_services: ALL satisfies Agreement<AdditionalServices, typeof additional_services>,
} satisfies Record<keyof typeof lists, typeof ALL>;

const BELOW: Same<AccountBelow, Readonly<ShapeOf<(typeof accounts)['fields']>>> = true;

const ROOT = join(import.meta.dirname, '..', '..');
const MEMBER = /^\s+(?:readonly )?(\w+)\??:/;

test('the type of an account below is what the contract says', () => assert.equal(BELOW, true));

describe('the types of a list', () => {
  for (const name of Object.keys(AGREEMENT) as (keyof typeof AGREEMENT)[]) {
    const { title, fields, filters } = lists[name];
    const file = `api/lists/${name.replaceAll('_', '-')}.ts`;
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
    const members = lines.flatMap((line, i) => {
      const [, member] = MEMBER.exec(line) ?? [];
      return member === undefined ? [] : [{ member, above: lines[i - 1] ?? '' }];
    });

    test(`${title}: every field and parameter has its sentence`, () => {
      const silent = members.filter(({ above }) => !above.endsWith('*/'));
      assert.deepEqual(silent, []);
      const named = new Set(members.map(({ member }) => member));
      const missing = Object.keys({ ...fields, ...filters }).filter((one) => !named.has(one));
      assert.deepEqual(missing, []);
    });
  }
});
