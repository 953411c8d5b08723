// What tokens are for: the account of a customer's token and its limits (docs/generated/api.md, "Account and
// authentication"), what an operator's token may do, and until when. They are columns of its row and never
// change.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { OPERATIONS, type REACHES } from '../../settings/tokens.ts';
import { type ListName, type Stored, tables } from '../tables.ts';

const LIST_NAMES = Object.keys(tables) as ListName[];

export type Operation = (typeof OPERATIONS)[number];

/** What a customer's token may see, and from where. */
export interface TokenLimits {
  /** In the order of the contract; `null` for all. */
  readonly lists: readonly ListName[] | null;
  /** Without them, charges, their sums and their currency do not exist for the caller. */
  readonly charges: boolean;
  /** The networks of its callers in CIDR notation; `null` for all. */
  readonly addresses: readonly string[] | null;
  /** Requests a minute, in place of those of the process; `null` for those. */
  readonly rate_limit: number | null;
  /** `operator`: the accounts that the token of an operator is for. No customer's token has it. */
  readonly reach: (typeof REACHES)[number] | 'operator';
}

export interface CustomerScope extends TokenLimits {
  readonly account_id: string;
  /** What it was created for; `token` if it does not say: whatever the customer does with it. */
  readonly kind?: 'token' | 'sign_in';
}

/** What limits what an operator's token reads. */
export type ReadLimits = Omit<TokenLimits, 'reach'>;

export interface OperatorScope extends ReadLimits {
  /** The accounts that it may read or write, by code point; `null` for all. */
  readonly accounts: readonly string[] | null;
  readonly may: readonly Operation[];
}

export const NO_LIMITS: TokenLimits = {
  lists: null,
  charges: true,
  addresses: null,
  rate_limit: null,
  reach: 'account',
};

/** The scopes of access tokens of an identity provider, by what they allow. */
export const ISSUED_SCOPES = {
  ...(Object.fromEntries(LIST_NAMES.map((list) => [list, `linecard:${list}`])) as Record<ListName, string>),
  charges: 'linecard:charges',
  tree: 'linecard:tree',
} as const;

export type IssuedScope = keyof typeof ISSUED_SCOPES;

const READ_COLUMNS = ['lists', 'charges', 'addresses', 'rate_limit'] as const;
const LIMIT_COLUMNS = [...READ_COLUMNS, 'reach'] as const;

function textsOf<T extends string>(stored: Stored | undefined): readonly T[] | null {
  return typeof stored === 'string' ? (JSON.parse(stored) as T[]) : null;
}

const storedTexts = (texts: readonly string[] | null) => (texts === null ? null : JSON.stringify(texts));

const storedLimits = ({ lists, charges, addresses, rate_limit }: ReadLimits): Stored[] => [
  storedTexts(lists && LIST_NAMES.filter((name) => lists.includes(name))),
  Number(charges),
  storedTexts(addresses),
  rate_limit,
];

const readLimits = ([lists, charges, addresses, rate_limit = null]: readonly Stored[]): ReadLimits => ({
  lists: textsOf(lists),
  charges: charges === 1,
  addresses: textsOf(addresses),
  rate_limit: rate_limit === null ? null : Number(rate_limit),
});

function limitsOf(stored: readonly Stored[]): TokenLimits {
  const [lists, charges, addresses, rate_limit, reach] = stored;
  const isLimited = lists !== null || charges !== 1 || addresses !== null || rate_limit !== null;
  // Nearly every token, and it is read for every request.
  if (!isLimited && reach === NO_LIMITS.reach) return NO_LIMITS;
  return { ...readLimits(stored), reach: reach as TokenLimits['reach'] };
}

/** How the scope of each kind of token is stored, and read from the values of its columns. */
export const SCOPES = {
  customer: {
    columns: ['account_id', 'kind', ...LIMIT_COLUMNS],
    stored: ({ account_id, kind, reach, ...limits }: CustomerScope): Stored[] => [
      account_id,
      kind ?? 'token',
      ...storedLimits(limits),
      reach,
    ],
    read: ([account_id, kind, ...limits]: readonly Stored[]): CustomerScope => ({
      account_id: account_id as string,
      kind: kind === 'sign_in' ? kind : 'token',
      ...limitsOf(limits),
    }),
  },
  operator: {
    columns: ['accounts', 'may', ...READ_COLUMNS],
    stored: ({ accounts, may, ...limits }: OperatorScope): Stored[] => [
      storedTexts(accounts && [...new Set(accounts)].toSorted()),
      JSON.stringify(OPERATIONS.filter((operation) => may.includes(operation))),
      ...storedLimits(limits),
    ],
    read: ([accounts, may, ...limits]: readonly Stored[]): OperatorScope => ({
      accounts: textsOf(accounts),
      may: textsOf<Operation>(may) ?? [],
      ...readLimits(limits),
    }),
  },
} as const;

/** The columns of the limits of a customer's token, and how they are read from their values. */
export const LIMITS = { columns: LIMIT_COLUMNS, read: limitsOf };

/** The current time; formatted once a millisecond, because it is compared for every request. */
let now = { milliseconds: 0, text: '' };

export function hasExpired({ expires_at }: { readonly expires_at: string | null }): boolean {
  if (expires_at === null) return false;
  const milliseconds = Date.now();
  if (now.milliseconds !== milliseconds) now = { milliseconds, text: timestampOf(milliseconds) };
  return expires_at <= now.text;
}
