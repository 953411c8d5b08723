// What the calls for a list take, whichever list it is.

import type { ChangesQuery } from './changes.ts';
import type { ExportFormat } from './export.ts';

/** What every call takes beside its parameters. */
export interface CallOptions {
  /** Ends the call, wherever it stands, with the problem `aborted`. */
  readonly signal?: AbortSignal | undefined;
}

export interface ExportOptions extends CallOptions {
  /** `ndjson`, which it is by default, can be read row by row. */
  readonly format?: ExportFormat | undefined;
}

/** Which fields items shall have; without it they have all. */
export interface Chosen<F> {
  readonly fields: readonly F[];
}

/** What the calls for a list take and give, such as `VirtualNumbers`. */
export interface ListTypes {
  readonly item: object;
  readonly filters: object;
  readonly selection: object;
  readonly walk: { readonly page_size?: number | undefined };
  readonly query: object;
  readonly facets: object;
}

/** What changes are requested with. */
export type ChangesOf<Types extends ListTypes> = Types['filters'] & ChangesQuery;
