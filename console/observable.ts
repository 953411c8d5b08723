// A value that parts of the page share and subscribe to.

export interface Observable<T> {
  readonly get: () => T;
  readonly set: (next: T) => void;
  /** @returns a function that unsubscribes */
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
