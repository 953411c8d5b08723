// The rows of a list that are selected, whatever page they are on. They are forgotten with the list and with
// the session.

import { useSyncExternalStore } from 'react';
import type { Row } from '../contract.ts';
import { observable } from '../observable.ts';
import { onSession } from '../session.ts';

type Rows = ReadonlyMap<number, Row>;

const NONE: Rows = new Map();
const selected = observable(NONE);

export function useSelected(): Rows {
  return useSyncExternalStore(selected.observe, selected.get);
}

/** Whether rows are being selected, also before the first of them is. */
export function useIsSelecting(): boolean {
  return useSyncExternalStore(selected.observe, () => selected.get() !== NONE);
}

export function startSelection(): void {
  selected.set(new Map());
}

export function useIsSelected(id: number): boolean {
  return useSyncExternalStore(selected.observe, () => selected.get().has(id));
}

/** How many of these rows are selected. */
export function useSelectedOf(rows: readonly Row[]): number {
  return useSyncExternalStore(selected.observe, () => rows.filter(({ id }) => selected.get().has(id)).length);
}

export function select(rows: readonly Row[], isOn: boolean): void {
  const next = new Map(selected.get());
  for (const row of rows) {
    if (isOn) next.set(row.id, row);
    else next.delete(row.id);
  }
  selected.set(next);
}

export function toggle(row: Row): void {
  select([row], !selected.get().has(row.id));
}

export function clearSelection(): void {
  if (selected.get() !== NONE) selected.set(NONE);
}

/** Takes the values that selected rows have now. */
export function renewSelection(rows: readonly Row[]): void {
  const old = rows.filter((row) => selected.get().has(row.id) && selected.get().get(row.id) !== row);
  if (old.length > 0) select(old, true);
}

onSession(clearSelection);
