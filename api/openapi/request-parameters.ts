// Parameters of requests as OpenAPI writes them: in the query, and the headers that every operation of an
// account takes.

import { etagExample, REQUEST_ID, type Reference } from './headers.ts';
import type { Parameter } from './parameters.ts';
import type { Schema } from './schemas.ts';

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path';
  readonly description: string;
  readonly required: boolean;
  readonly style?: 'form';
  readonly explode?: boolean;
  readonly schema: Schema;
  readonly example: Parameter['example'];
}

export function headerParameters(version: string): Record<string, OpenApiParameter> {
  const header = { in: 'header', required: false, schema: { type: 'string' } } as const;
  return {
    'If-None-Match': {
      name: 'If-None-Match',
      ...header,
      description: 'An `ETag` that you were given: the answer is `304` while it still holds.',
      example: etagExample(version),
    },
    Prefer: {
      name: 'Prefer',
      ...header,
      description:
        'With `If-None-Match`: `wait=25` (RFC 7240; seconds, at most 55) waits so long for a change before it answers `304`. Changes are also waited for without it, where there are none yet.',
      example: 'wait=25',
    },
    'Linecard-Account': {
      name: 'Linecard-Account',
      ...header,
      description:
        'The id of the account to read, percent-encoded as UTF-8: your own or, with the reach `tree`, one below it. Without it, your own.',
      example: 'harbour-dental',
    },
    'X-Request-Id': {
      name: 'X-Request-Id',
      ...header,
      description:
        'Your own id for this request: up to 128 letters, digits and `. _ - : + / = @`. Any other is replaced by one of ours.',
      example: REQUEST_ID,
    },
  };
}

export const HEADER_PARAMETERS: readonly Reference[] = Object.keys(headerParameters('')).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}));

export function inQuery({ name, about, schema, example }: Parameter): OpenApiParameter {
  const spelling = schema.type === 'array' ? ({ style: 'form', explode: true } as const) : {};
  return { name, in: 'query', description: about, required: false, ...spelling, schema, example };
}
