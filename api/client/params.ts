// What a program may ask of a list, as types that follow from the contract. query.ts alone knows how it is spelled.

import type { Filter, Item, List } from '../contract/contract.ts';
import type { Query } from '../contract/query.ts';

type Asked<L extends List, F extends Filter> = F['test'] extends 'any'
  ? readonly NonNullable<Item<L>[F['field']]>[]
  : F['test'] extends 'is'
    ? boolean
    : string;

/**
 * The filters of a list. They combine with AND, the values inside one with OR; one that is `undefined`, or an empty
 * list, is off. Timestamps are RFC 3339 texts, see `timestampOf`.
 */
export type Filters<L extends List> = {
  readonly [N in keyof L['filters']]?: Asked<L, L['filters'][N]> | undefined;
} & {
  /** Partial match, at most 200 characters. */
  readonly q?: string | undefined;
};

export interface Order<L extends List> {
  readonly sort_by?: (keyof L['sorts'] & string) | undefined;
  readonly sort_order?: Query['sort_order'] | undefined;
}

/** What the facets of a list take: no order, no page. */
export type FacetsParams<L extends List> = Filters<L>;

/** What an export takes: no page. */
export type ExportParams<L extends List> = Filters<L> & Order<L>;

/** What a walk over a whole list takes. */
export type IterateParams<L extends List> = ExportParams<L> & {
  /** From 1 to the deployment's maximum, which is 1000 unless its operator chose another. */
  readonly page_size?: number | undefined;
};

/** What a page of a list takes. */
export type ListParams<L extends List> = IterateParams<L> & {
  /** From 1, which it is by default. */
  readonly page?: number | undefined;
  /** Taken from a `Link` header; not together with `page`. */
  readonly cursor?: string | undefined;
};
