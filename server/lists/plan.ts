// Query -> plan: which rows of whose, in which order. Pure; it must not know how a statement is written.

import { needleOf } from '@linecard/client/contract/fold';
import type { List } from '@linecard/client/contract/list';
import type { Query } from '@linecard/client/contract/query';
import type { Condition, Plan, Selection } from '../store/sql.ts';
import { searchColumns, type Table } from '../store/tables.ts';

function searchCondition(list: List, q: string): Condition {
  const { text, digits } = needleOf(q);
  const columns = searchColumns(list);
  const contains = (column: string, value: string): Condition => ({ column, test: 'contains', value });
  return {
    either: [
      ...columns.text.map((column) => contains(column, text)),
      ...(digits === undefined ? [] : columns.digits.map((column) => contains(column, digits))),
    ],
  };
}

/** The rows that a query asks for: the list's own limits, the filters, the search. */
export function selectionOf(
  table: Table,
  account_id: string,
  query: Pick<Query, 'filters' | 'q'>,
): Selection {
  const where = Object.entries(table.list.only).map(
    ([field, value]): Condition => ({ column: table.exact(field), test: 'is', value }),
  );
  for (const { field, test, value } of query.filters) {
    const stored = test === 'is' ? Number(value) : value;
    where.push({ column: table.exact(field), test, value: stored } as Condition);
  }
  if (query.q !== undefined) where.push(searchCondition(table.list, query.q));
  return {
    account_id,
    list: table.name,
    where,
    whole: query.filters.length === 0 && query.q === undefined,
  };
}

/** All rows of a query in its order. */
export function planOf(table: Table, account_id: string, query: Query): Plan {
  const sorts: Readonly<Record<string, string>> = table.list.sorts;
  const { column, nullable } = table.ordered(sorts[query.sort_by] as string);
  const order = { column, nullable, descending: query.sort_order === 'desc' };
  return { ...selectionOf(table, account_id, query), order };
}
