// What tokens are for: the account of a customer's token and its limits (docs/generated/api.md, "Account and
// authentication"), what an operator's token may do, and until when. They are columns of its row and never
// change.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { OPERATIONS, type REACHES } from '../../settings/tokens.ts';
import { type ListName, type Stored, tables } from '../tables.ts';

const LIST_NAMES = Object.keys(tables) as ListName[];

export type Operation = (typeof OPERATIONS)[number];

/** How a member of a token is stored in the column of its name. */
interface Column<T = unknown> {
  /** What it is if nothing is said. */
  readonly none: T;
  stored(value: T): Stored;
  read(stored: Stored): T;
}

type Columns = Readonly<Record<string, Column>>;
type ValuesOf<C extends Columns> = { readonly [M in keyof C]: C[M] extends Column<infer T> ? T : never };

const text = <T extends string>(none: T): Column<T> => ({
  none,
  stored: (value) => value,
  read: (stored) => stored as T,
});

/** Texts as a JSON array, in an order of their own. */
const texts = <T extends string>(
  inOrder: (given: readonly T[]) => readonly T[] = (given) => given,
): Column<readonly T[] | null> => ({
  none: null,
  stored: (given) => given && JSON.stringify(inOrder(given)),
  read: (stored) => (typeof stored === 'string' ? (JSON.parse(stored) as T[]) : null),
});

const orderOf =
  <T extends string>(known: readonly T[]) =>
  (given: readonly T[]) =>
    known.filter((one) => given.includes(one));

/** What an operator's token may do. */
const may: Column<readonly Operation[]> = {
  none: ['import'],
  stored: (given) => JSON.stringify(orderOf(OPERATIONS)(given)),
  read: (stored) => (typeof stored === 'string' ? (JSON.parse(stored) as Operation[]) : []),
};

/** What limits what a token reads. */
const READS = {
  /** In the order of the contract; `null` for all. */
  lists: texts(orderOf(LIST_NAMES)),
  /** Without them, charges, their sums and their currency do not exist for the caller. */
  charges: { none: true, stored: Number, read: (stored) => stored === 1 } as Column<boolean>,
  /** The networks of its callers in CIDR notation; `null` for all. */
  addresses: texts(),
  /** Requests a minute, in place of those of the process; `null` for those. */
  rate_limit: {
    none: null,
    stored: (value) => value,
    read: (stored) => (stored === null ? null : Number(stored)),
  } as Column<number | null>,
};

const LIMITED = {
  ...READS,
  /** `operator`: the accounts that the token of an operator is for. No customer's token has it. */
  reach: text<(typeof REACHES)[number] | 'operator'>('account'),
};

const OF_CUSTOMER = {
  account_id: text<string>(''),
  /** `token`: whatever the customer does with it. */
  kind: text<'token' | 'sign_in'>('token'),
  ...LIMITED,
};

const OF_OPERATOR = {
  /** The accounts that it may read or write, by code point; `null` for all. */
  accounts: texts((given) => [...new Set(given)].toSorted()),
  may,
  ...READS,
};

/** What limits what an operator's token reads. */
export type ReadLimits = ValuesOf<typeof READS>;
/** What a customer's token may see, and from where. */
export type TokenLimits = ValuesOf<typeof LIMITED>;
export type CustomerScope = ValuesOf<typeof OF_CUSTOMER>;
export type OperatorScope = ValuesOf<typeof OF_OPERATOR>;

const codecOf = <C extends Columns>(columns: C) => ({
  columns: Object.keys(columns),
  /** What a token has of which nothing is said. */
  none: Object.fromEntries(Object.entries(columns).map(([name, { none }]) => [name, none])) as ValuesOf<C>,
  stored: (values: ValuesOf<C>): Stored[] =>
    Object.entries(columns).map(([name, column]) => column.stored(values[name])),
  read: (stored: readonly Stored[]): ValuesOf<C> =>
    Object.fromEntries(
      Object.entries(columns).map(([name, column], i) => [name, column.read(stored[i] ?? null)]),
    ) as ValuesOf<C>,
});

/** How the scope of each kind of token is stored, and read from the values of its columns. */
export const SCOPES = { customer: codecOf(OF_CUSTOMER), operator: codecOf(OF_OPERATOR) };

const limited = codecOf(LIMITED);
export const NO_LIMITS: TokenLimits = limited.none;
const NONE_STORED = limited.stored(NO_LIMITS);

/** The columns of the limits of a customer's token, and how they are read from their values. */
export const LIMITS = {
  columns: limited.columns,
  /** Nearly every token has none, and they are read for every request. */
  read: (stored: readonly Stored[]): TokenLimits =>
    stored.every((value, i) => value === NONE_STORED[i]) ? NO_LIMITS : limited.read(stored),
};

/** The scopes of access tokens of an identity provider, by what they allow. */
export const ISSUED_SCOPES = {
  ...(Object.fromEntries(LIST_NAMES.map((list) => [list, `linecard:${list}`])) as Record<ListName, string>),
  charges: 'linecard:charges',
  tree: 'linecard:tree',
} as const;

export type IssuedScope = keyof typeof ISSUED_SCOPES;

/** The current time; formatted once a millisecond, because it is compared for every request. */
let now = { milliseconds: 0, text: '' };

export function hasExpired({ expires_at }: { readonly expires_at: string | null }): boolean {
  if (expires_at === null) return false;
  const milliseconds = Date.now();
  if (now.milliseconds !== milliseconds) now = { milliseconds, text: timestampOf(milliseconds) };
  return expires_at <= now.text;
}
