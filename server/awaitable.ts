// What is there at once where nothing must be waited for, such as a database in this process, and is promised
// elsewhere. Promises that never wait took a fifteenth of a first page (docs/performance.md).
//
// A function that gives an awaitable may throw as well as reject: `await` makes one of both.

export type Awaitable<T> = T | Promise<T>;

/** Goes on with a value, at once where it is there. */
export function andThen<T, R>(value: Awaitable<T>, use: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
