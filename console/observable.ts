// A value that parts of the page have in common, each of which learns of every change.

export interface Observable<T> {
  readonly get: () => T;
  readonly set: (next: T) => void;
  /** Calls back at every change; gives what ends it. */
  readonly observe: (onChange: () => void) => () => void;
}

export function observable<T>(first: T): Observable<T> {
  let value = first;
  const observers = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const onChange of observers) onChange();
    },
    observe(onChange) {
      observers.add(onChange);
      return () => observers.delete(onChange);
    },
  };
}
