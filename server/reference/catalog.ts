// The catalog of the service (RFC 9727): where its API, documents, health and tools for agents are.

import { CATALOG_PATH, MCP_PATH, OPENAPI_PATH } from '@linecard/client/contract/addresses';

export const CATALOG_TYPE =
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"; charset=utf-8';

/** A set of links (RFC 9264). */
export function catalogText(url: string, hasAgents = true): string {
  const link = (path: string, type?: string) => ({ href: url + path, ...(type !== undefined && { type }) });
  const api = {
    anchor: `${url}/api/v1`,
    'service-desc': [link(OPENAPI_PATH, 'application/json')],
    'service-doc': [
      link('/docs', 'text/html'),
      link('/docs.md', 'text/markdown'),
      link('/llms.txt', 'text/plain'),
    ],
    status: [link('/healthz', 'application/json'), link('/readyz', 'application/json')],
  };
  const agents = { anchor: url + MCP_PATH, 'service-doc': [link('/docs.md', 'text/markdown')] };
  const all = hasAgents ? [api, agents] : [api];
  const catalog = { anchor: url + CATALOG_PATH, item: all.map(({ anchor }) => ({ href: anchor })) };
  return `${JSON.stringify({ linkset: [catalog, ...all] }, null, 2)}\n`;
}
