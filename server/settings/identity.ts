// The settings of access tokens that an identity provider issues (JWTs).

import { anyText, duration, flag, optional, parameter, textsOf } from './kinds.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL may be fetched, or named to clients: https, or http to this machine. */
export function isSafeUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.hash !== '' || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
}

const SAFE = 'https, or http to this machine';
const url = (allowed: string, isAllowed: (text: string) => boolean) => ({
  value: 'url',
  allowed,
  read: (text: string) => (isAllowed(text) ? text : undefined),
});
const hasQuery = (text: string) => text.includes('?');

export const identitySettings = {
  public_url: optional(
    url(
      `a URL such as https://numbers.example.com (${SAFE}), without a query or a slash at the end`,
      (text) => isSafeUrl(text) && !hasQuery(text) && !text.endsWith('/'),
    ),
    'the URL that customers use, with the path of --base-path, such as https://numbers.example.com; the reference and its document name it',
  ),
  jwt_issuer: optional(
    url(
      `a URL such as https://id.example.com/realms/x (${SAFE}), without a query`,
      (text) => isSafeUrl(text) && !hasQuery(text),
    ),
    'the identity provider whose access tokens (JWTs) serve accepts besides API tokens; exactly as in their claim iss',
  ),
  jwt_audience: optional(
    textsOf('one or more texts without spaces', undefined, /\s+/),
    'what the claim aud must contain; --public-url, also with /mcp, if none is given',
    { value: 'text' },
  ),
  jwt_jwks_url: optional(
    url(`a URL (${SAFE})`, isSafeUrl),
    "where the issuer's keys are, if its discovery document does not say",
  ),
  jwt_account_claim: parameter({
    ...anyText,
    value: 'claim',
    default: 'account_id',
    about: 'the claim that has the id of the account, or up to 50 of them; ext.account is a member of ext',
  }),
  jwt_scopes: flag(
    'access tokens see only what their scopes name: linecard:virtual_numbers, linecard:additional_services, linecard:charges',
  ),
  jwt_max_lifetime: optional(
    duration(),
    'the longest life of an access token from its issue, such as 1h; 24h if not given',
  ),
} as const;
