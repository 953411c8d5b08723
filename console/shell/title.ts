// The title of the browser's tab.

import { useEffect } from 'react';
import { texts } from '../texts.ts';

/** What is shown, before the name of the product. */
export function useTitle(shown: string): void {
  useEffect(() => {
    document.title = `${shown} · ${texts.product}`;
  }, [shown]);
}
