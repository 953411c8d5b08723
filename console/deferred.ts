// What is rendered after the urgent part of a page. React has it as `useDeferredValue`, which Preact renders
// together with the rest.

import { useEffect, useState } from 'react';

/** The value that was rendered before, or `initial`, until the page with everything else is painted. */
export function useDeferred<T>(value: T, initial: T = value): T {
  const [deferred, setDeferred] = useState(initial);
  // Effects run after that.
  useEffect(() => setDeferred(() => value), [value]);
  return deferred;
}
