// The identity provider of `serve`: its settings, and whether they fit together.

import { listed } from '@linecard/client/contract/wording';
import { WrongUsage } from '../errors.ts';
import type { JwtSettings } from '../http/jwt/jwt.ts';
import { resourcesOf } from '../http/protected-resource.ts';
import { optionOf } from '../settings/config.ts';
import { type Settings, settings as table } from '../settings/settings.ts';
import { IDENTITY } from './command.ts';

const DAY_MILLISECONDS = 86_400_000;

export type IdentitySettings = Pick<Settings, (typeof IDENTITY)[number]>;

/** @throws {WrongUsage} if the settings contradict each other. */
export function mustFitIdentity(settings: IdentitySettings): void {
  const { jwt_issuer, public_url } = settings;
  if (jwt_issuer !== undefined && public_url === undefined)
    throw new WrongUsage(
      '--jwt-issuer needs --public-url, the URL that customers use: access tokens are issued for it.',
    );
  const given = IDENTITY.filter((name) => name !== 'public_url' && settings[name] !== table[name].default);
  if (jwt_issuer === undefined && given.length > 0)
    throw new WrongUsage(
      `${listed(given.map(optionOf))} ${given.length === 1 ? 'has' : 'have'} no effect without --jwt-issuer, the identity provider.`,
    );
}

/** `undefined` if there is no identity provider. */
export function identityOf(settings: IdentitySettings): JwtSettings | undefined {
  const { jwt_issuer: issuer, public_url: publicUrl } = settings;
  if (issuer === undefined || publicUrl === undefined) return undefined;
  return {
    issuer,
    publicUrl,
    jwksUrl: settings.jwt_jwks_url,
    audiences: settings.jwt_audience ?? resourcesOf(publicUrl),
    maxLifetimeMs: settings.jwt_max_lifetime ?? DAY_MILLISECONDS,
    accountClaim: settings.jwt_account_claim,
    scopes: settings.jwt_scopes,
  };
}
