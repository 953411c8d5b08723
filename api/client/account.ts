// The account of a token, as `client.account()` gives it.

/** Whose token it is, and what there is on the account. */
export interface Account {
  /** The operator's own id of the customer. */
  readonly id: string;
  /** What the account is called; empty when nothing was given. */
  readonly name: string;
  /** The ISO 4217 code of all its charges; null where the operator has set none. */
  readonly currency: string | null;
  /** How many virtual numbers it has. */
  readonly virtual_numbers: number;
  /** How many additional services it has. */
  readonly additional_services: number;
  /** When anything on it last changed; null while nothing ever did. */
  readonly updated_at: string | null;
  /** The token that the client holds. */
  readonly token: {
    /** By which the operator revokes it. */
    readonly id: string;
    /** What the operator called it. */
    readonly name: string;
    /** When it ends; null for one that does not. */
    readonly expires_at: string | null;
  };
}

/** Where the account of a token is. */
export const ACCOUNT_PATH = '/api/v1/account';
