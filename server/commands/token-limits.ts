// The limits of a new token as its options say them, and those of a stored one as text.

import { WrongUsage } from '../errors.ts';
import type { Given } from '../operations/shape.ts';
import { type NEW, LIMITS as OPERATION_LIMITS } from '../operations/token-shape.ts';
import { optionOf } from '../settings/config.ts';
import type { Options } from '../settings/options.ts';
import { NO_LIMITS, type ReadLimits, type TokenLimits } from '../store/access/token-scopes.ts';
import { givenOf, type OptionsOf, optionFor, readOptions } from './operation.ts';

/** The options that say the members of a new token, where they have other names. */
export const NEW_OPTIONS = {
  account_id: 'account',
  charges: 'without_charges',
  rate_limit: 'token_rate_limit',
} as const satisfies OptionsOf<typeof NEW>;

type OptionOf<M> = M extends keyof typeof NEW_OPTIONS ? (typeof NEW_OPTIONS)[M] : M;
type LimitName = OptionOf<keyof typeof OPERATION_LIMITS> | 'may';

/** The options of a customer token, or an operator token, that are the same for all of a file. */
export const LIMITS = [
  ...Object.keys(OPERATION_LIMITS).map((member) => optionFor(NEW_OPTIONS, member)),
  'may',
] as readonly LimitName[];

const OF_READERS = ['lists', 'without_charges', 'addresses'] as const satisfies LimitName[];

type LimitOptions = Pick<Options, LimitName>;

/** @throws {WrongUsage} if an option is given that the kind of token does not have. */
export function mustSuit(operator: boolean, given: LimitOptions): void {
  const without: readonly unknown[] = [undefined, false, NO_LIMITS.reach];
  const isGiven = (name: LimitName) => !without.includes(given[name]);
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

type ShownLimits = ReadLimits & Partial<Pick<TokenLimits, 'reach'>>;

/** @throws {WrongUsage} */
export const limitsOf = (given: Omit<LimitOptions, 'may'>): Given<typeof OPERATION_LIMITS> =>
  readOptions(
    { takes: OPERATION_LIMITS, of: 'a token' },
    givenOf(OPERATION_LIMITS, given, NEW_OPTIONS),
    NEW_OPTIONS,
  );

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
