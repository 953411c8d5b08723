// Which fields of a list are columns, and which are hidden by default.

import type { FieldFacts, ListFacts, View } from '../contract.ts';

export function usualColumns(list: ListFacts): readonly string[] {
  return list.fields.map(({ name }) => name).filter((name) => !list.hiddenColumns.includes(name));
}

/** The field that names an item and links to its details. */
export function headline(list: ListFacts): string {
  return list.search[0] ?? 'id';
}

/** The columns of a view: the one that names an item first, the others in contract order. */
export function columnsOf(list: ListFacts, view: View): FieldFacts[] {
  const names = view.columns ?? usualColumns(list);
  const first = headline(list);
  const shown = list.fields.filter(({ name }) => names.includes(name) || name === first);
  return shown.sort((a, b) => Number(b.name === first) - Number(a.name === first));
}

/** Shows or hides a column. The default columns are not part of the address. */
export function withColumn(list: ListFacts, view: View, name: string, isShown: boolean): View {
  const usual = usualColumns(list);
  const before = view.columns ?? usual;
  const names = list.fields
    .map((field) => field.name)
    .filter((one) => (one === name ? isShown : before.includes(one) || one === headline(list)));
  const isUsual = names.length === usual.length && names.every((one) => usual.includes(one));
  return { ...view, columns: isUsual ? undefined : names };
}
