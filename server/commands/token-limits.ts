// The limits of a new token as its options say them, and those of a stored one as text.

import { WrongUsage } from '../errors.ts';
import { type NEW, LIMITS as OPERATION_LIMITS } from '../operations/token-shape.ts';
import { optionOf } from '../settings/config.ts';
import type { OptionName, Options } from '../settings/options.ts';
import { NO_LIMITS, type ReadLimits, type TokenLimits } from '../store/access/token-scopes.ts';
import { type OptionsOf, readOptions } from './operation.ts';

const OF_READERS = ['lists', 'without_charges', 'addresses'] as const satisfies OptionName[];

/** The options that limit a customer token, or an operator token. */
export const LIMITS = [...OF_READERS, 'token_rate_limit', 'reach', 'may'] as const satisfies OptionName[];

type LimitOptions = Pick<Options, (typeof LIMITS)[number]>;

/** @throws {WrongUsage} if an option is given that the kind of token does not have. */
export function mustSuit(operator: boolean, given: LimitOptions): void {
  const without: readonly unknown[] = [undefined, false, NO_LIMITS.reach];
  const isGiven = (name: (typeof LIMITS)[number]) => !without.includes(given[name]);
  if (!operator && isGiven('may')) throw new WrongUsage('Only an operator token has --may: add --operator.');
  if (!operator) return;
  if (isGiven('reach'))
    throw new WrongUsage(
      'An operator token reads the accounts that --account names, or all: leave out --reach.',
    );
  const wrong = OF_READERS.filter(isGiven).map(optionOf);
  if (wrong.length === 0 || given.may?.includes('read')) return;
  throw new WrongUsage(
    `An operator token reads nothing without --may read, so ${wrong.join(' and ')} cannot limit it.`,
  );
}

/** The options that say the members of a new token. */
export const NEW_OPTIONS = {
  account_id: 'account',
  name: 'name',
  expires_in: 'expires_in',
  lists: 'lists',
  charges: 'without_charges',
  addresses: 'addresses',
  rate_limit: 'token_rate_limit',
  reach: 'reach',
} as const satisfies OptionsOf<typeof NEW>;

/** What options say of the limits of a new token. */
export const givenLimits = ({
  lists,
  without_charges,
  token_rate_limit,
  ...rest
}: Omit<LimitOptions, 'may'>) => ({
  lists: lists?.map((word) => word.replaceAll('-', '_')),
  charges: !without_charges,
  addresses: rest.addresses,
  rate_limit: token_rate_limit,
  reach: rest.reach,
});

type ShownLimits = ReadLimits & Partial<Pick<TokenLimits, 'reach'>>;

/** @throws {WrongUsage} */
export const limitsOf = (given: Omit<LimitOptions, 'may'>): TokenLimits =>
  readOptions({ takes: OPERATION_LIMITS, of: 'a token' }, givenLimits(given), NEW_OPTIONS);

/** The limits of a token in one cell of a table; empty if it has none. */
export function limitsText({
  lists,
  charges,
  addresses,
  rate_limit,
  reach = NO_LIMITS.reach,
}: ShownLimits): string {
  return [
    ...(lists === null ? [] : [lists.map((name) => name.replaceAll('_', '-')).join(' and ')]),
    ...(charges ? [] : ['no charges']),
    ...(addresses === null ? [] : [`from ${addresses.join(' ')}`]),
    ...(rate_limit === null ? [] : [`${rate_limit} requests a minute`]),
    ...(reach === NO_LIMITS.reach ? [] : [reach]),
  ].join(', ');
}
