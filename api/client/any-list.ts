// The two lists as one type, for programs that treat them alike.

import type { ChangesPage } from '../contract/changes.ts';
import type { lists } from '../contract/contract.ts';
import type { Item } from '../contract/csv.ts';
import type { DayPayments, Facet, Payments } from '../contract/facets.ts';
import type { List } from '../contract/list.ts';
import type { PageOf } from '../lists/answers.ts';
import { type Client, clientsOf } from './client.ts';
import type { Export } from './export.ts';
import type { CallOptions, ExportOptions } from './options.ts';

type Lists = typeof lists;

export type ListParams = Record<string, string | number | boolean | readonly (string | number)[]>;

/** Without charges, there are only counts. */
export type Counted<P extends Payments> = Pick<P, 'count'> & Partial<P>;

export interface AnyFacets {
  readonly total: number;
  readonly currency?: string | null;
  readonly sums: Readonly<Record<string, number>>;
  readonly due: Readonly<Record<string, { readonly count: number; readonly monthly?: number }>>;
  readonly overdue?: Counted<Payments>;
  readonly due_by_day?: readonly (Counted<DayPayments> & Pick<DayPayments, 'day'>)[];
  readonly facets: Readonly<Record<string, Facet>>;
}

/** The calls of `ListClient`, for either list. All of them throw `Problem`. */
export interface AnyList {
  list(params: ListParams, call?: CallOptions): Promise<PageOf<Item>>;
  iterate(params: ListParams, call?: CallOptions): AsyncIterable<Item>;
  get(id: number, params: ListParams, call?: CallOptions): Promise<Item>;
  export(params: ListParams, call?: ExportOptions): Promise<Export<Item>>;
  facets(params: ListParams, call?: CallOptions): Promise<AnyFacets>;
  changes(params: ListParams, call?: CallOptions): Promise<ChangesPage<Item>>;
  follow(params: ListParams, call?: CallOptions): AsyncGenerator<ChangesPage<Item>, void, void>;
}

export function listOf(client: Client, list: Pick<List, 'name'>): AnyList {
  return clientsOf(client)[list.name as keyof Lists] as AnyList;
}

const CURRENCY_WITHIN_MS = 2_000;

/** The currency of the charges; `undefined` where none is set, or where no answer comes in time. */
export async function currencyOf(client: Client, signal: AbortSignal): Promise<string | undefined> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), CURRENCY_WITHIN_MS);
  const soon = AbortSignal.any([signal, late.signal]);
  const account = await client.account({ signal: soon }).catch(() => undefined);
  clearTimeout(timer);
  return account?.currency ?? undefined;
}

/** The most important fields first. */
export function fieldsByWeight(list: List): string[] {
  return [...new Set([...(list.first ?? []), ...Object.keys(list.fields)])];
}
