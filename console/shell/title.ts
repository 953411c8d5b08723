// The title of the browser tab.

import { useEffect } from 'react';
import { texts } from '../texts.ts';

export function useTitle(shown: string): void {
  useEffect(() => {
    document.title = `${shown} · ${texts.product}`;
  }, [shown]);
}
