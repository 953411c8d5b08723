// What describes the deployment, by the fields that are declared at the time: the OpenAPI document and the
// guide, and what is made of them.

import type { OpenApiDocument } from '@linecard/client/openapi';
import type { Section } from '@linecard/client/openapi/guide';

export interface Described {
  readonly document: () => Promise<OpenApiDocument>;
  readonly guide: () => Promise<readonly Section[]>;
}

/** What is made of an object that another one replaces now and then: made once for each. */
export function madeOnce<Given extends object, Made>(
  given: () => Given,
  make: (given: Given) => Made,
): () => Made {
  let latest: { readonly of: Given; readonly made: Made } | undefined;
  return () => {
    const now = given();
    if (latest?.of !== now) latest = { of: now, made: make(now) };
    return latest.made;
  };
}
