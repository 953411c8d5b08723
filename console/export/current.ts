// The state of the download that is running, or was last. What downloads is loaded later.

import { useSyncExternalStore } from 'react';
import { observable } from '../observable.ts';

export const EXPORT_BUTTON = 'export-button';

export interface CurrentDownload {
  readonly running?: { readonly file: string; readonly done: number; readonly total: number };
  /** The outcome of the last one. */
  readonly said?: { readonly text: string; readonly isBad?: boolean };
}

export const NONE: CurrentDownload = {};
export const current = observable(NONE);

export function useDownload(): CurrentDownload {
  return useSyncExternalStore(current.observe, current.get);
}
