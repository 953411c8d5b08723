// Pages as large as a deployment takes: how many items those have is found out once.

import { Problem } from '../contract/problems.ts';
import type { Params } from '../contract/query.ts';

/** How large pages are, where the deployment takes pages of that size. */
const LARGE_PAGE = 1_000;

/** Whether a request was refused for its page size, perhaps among other things. */
function refusesPageSize(error: unknown): boolean {
  return (
    error instanceof Problem && error.faults?.some(({ parameter }) => parameter === 'page_size') === true
  );
}

export class LargePages {
  #page_size = LARGE_PAGE;

  /** Asks for a large page, unless the caller says how large. */
  async ask<T>(
    query: { readonly page_size?: number | undefined } | undefined,
    request: (params: Params) => Promise<T>,
  ): Promise<T> {
    if (query?.page_size !== undefined) return request({ ...query });
    for (;;) {
      const page_size = this.#page_size;
      try {
        return await request({ ...query, page_size });
      } catch (error) {
        if (!refusesPageSize(error) || page_size === 1) throw error;
        this.#page_size = Math.min(this.#page_size, Math.floor(page_size / 2));
      }
    }
  }
}
