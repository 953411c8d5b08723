// Parts of the page that come after the first view: loaded by themselves, each with something of its size
// in its place.

import { type ComponentType, lazy } from 'react';

/** A named export of a file, brought when it is first shown. */
export function later<N extends string, P extends object>(
  name: N,
  load: () => Promise<Readonly<Record<N, ComponentType<P>>>>,
) {
  return lazy(async () => {
    const loaded = await load();
    return { default: loaded[name] };
  });
}
