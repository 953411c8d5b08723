// What the console and its libraries import as React: Preact, with a name that it lacks (docs/decisions/042).
// Plain JavaScript, because build.ts alone names it, and the types are React's own.

export * from 'preact/compat';
export { default } from 'preact/compat';

/** Mantine imports it for parts that stay in the page while they are hidden; the console has none. */
export function Activity() {
  throw new Error('Preact has no Activity.');
}
