// Requests as one types them into a shell, for the reference.

import type { Parameter } from './parameters.ts';

/** An extension that readers of OpenAPI documents know by this name. */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** A request as one types it, its query a pair to a line. */
export function curl(path: string, pairs: readonly string[] = [], needsToken = false): CodeSample {
  const options = needsToken ? ['-H "Authorization: Bearer $LINECARD_TOKEN"'] : [];
  options.push(...pairs.map((pair) => `-d ${pair}`));
  const get = pairs.length === 0 ? '' : '--get ';
  return {
    lang: 'Shell',
    label: 'curl',
    source: [`curl ${get}"$LINECARD_URL${path}"`, ...options].join(' \\\n  '),
  };
}

/** A query that shows how things are spelled: a list, an order and a page. */
export function samplePairs(parameters: readonly Parameter[]): string[] {
  const list = parameters.find(({ example }) => Array.isArray(example) && example.length > 1);
  const shown = parameters.filter((one) => one === list || one.group === 'order' || one.name === 'page_size');
  return shown.flatMap(({ name, example }) => [example].flat().map((value) => `${name}=${value}`));
}
