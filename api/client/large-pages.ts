// How large the pages of a walk are: as large as the deployment allows.

import { Problem } from '../contract/problems.ts';
import type { Params } from '../contract/query.ts';

const LARGE_PAGE = 1_000;

/** Whether a request was refused for its page size, perhaps among other faults. */
function refusesPageSize(error: unknown): boolean {
  return (
    error instanceof Problem && error.faults?.some(({ parameter }) => parameter === 'page_size') === true
  );
}

/** Requests pages as large as the deployment allows, which it learns from the first refusal. */
export class LargePages {
  #page_size = LARGE_PAGE;

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
