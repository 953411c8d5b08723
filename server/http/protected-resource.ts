// The metadata of OAuth 2.0 Protected Resources (RFC 9728): it tells clients which identity provider issues
// access tokens for this service. There is no /.well-known/oauth-authorization-server here: clients would
// take it for the identity provider's.

import { MCP_PATH } from '@linecard/client/contract/addresses';
import type { FastifyInstance } from 'fastify';
import { ISSUED_SCOPES } from '../store/access/token-scopes.ts';
import { JSON_UTF_8 } from './answer-headers.ts';
import { OWN_BRAND } from './brand.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
/** The resources: the API, and the one for agents. */
const RESOURCES = ['', MCP_PATH];

declare module 'fastify' {
  interface FastifyInstance {
    /** A challenge that says where the metadata of a resource is, if there is an identity provider. */
    challengeOf?: (challenge: string, path: string | undefined) => string;
  }
}

export interface ProtectedResource {
  readonly publicUrl: string;
  readonly issuer: string;
  /** Whether scopes limit lists and charges. */
  readonly scopes: boolean;
}

/** The URLs of the resources, which are the default audiences of access tokens. */
export const resourcesOf = (publicUrl: string): string[] => RESOURCES.map((path) => publicUrl + path);

export function addProtectedResource(
  app: FastifyInstance,
  resource: ProtectedResource | undefined,
  name = OWN_BRAND.name,
): void {
  if (resource === undefined) return;
  const { publicUrl, issuer, scopes } = resource;
  app.decorate('challengeOf', (challenge, at) => {
    const path = RESOURCES.find((one) => one === at) ?? '';
    const separator = challenge.includes('=') ? ', ' : ' ';
    return `${challenge}${separator}resource_metadata="${publicUrl}${WELL_KNOWN}${path}"`;
  });
  // Without their setting, scopes of lists and charges mean nothing, and the issuer may not know them.
  const scopes_supported = scopes ? Object.values(ISSUED_SCOPES) : [ISSUED_SCOPES.tree];
  // Clients that look for it without a challenge insert the well-known path before that of the resource
  // (RFC 9728, section 3.1).
  const { pathname } = new URL(publicUrl);
  const prefixes = pathname === '/' ? [''] : ['', pathname];
  for (const path of RESOURCES) {
    const metadata = {
      resource: publicUrl + path,
      authorization_servers: [issuer],
      scopes_supported,
      bearer_methods_supported: ['header'],
      resource_name: name,
      resource_documentation: `${publicUrl}/docs`,
    };
    const body = JSON.stringify(metadata);
    for (const prefix of prefixes) {
      app.get(WELL_KNOWN + prefix + path, (_request, reply) => reply.type(JSON_UTF_8).send(body));
    }
  }
}
