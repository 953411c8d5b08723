// The rows of the bench: accounts of the sizes that customers have, always the same. What a number looks like
// follows from its id, so that a search can be cut from it without reading it back.

import { closeSync, openSync, writeSync } from 'node:fs';

/** How many numbers an account has, roughly. */
export type Kind = 'small' | 'ten_thousand' | 'huge';

export interface BenchAccount {
  readonly id: string;
  readonly kind: Kind;
  /** Its numbers have the ids from here on. */
  readonly first: number;
  readonly numbers: number;
}

const SMALL = 989;
const TEN_THOUSAND = 10;
const FLUSH_CHARACTERS = 1_000_000;
// biome-ignore format: a table
export const COUNTRIES = [
  'GB', 'DE', 'FR', 'US', 'SE', 'IE', 'AU', 'CA', 'ES', 'IT', 'NL', 'PL', 'PT', 'FI', 'NO', 'DK',
] as const;
function sizesOf(copy: number): Pick<BenchAccount, 'id' | 'kind' | 'numbers'>[] {
  return [
    { id: `huge-${copy}`, kind: 'huge', numbers: 200_000 },
    ...Array.from({ length: TEN_THOUSAND }, (_, i) => {
      return { id: `large-${copy}-${i}`, kind: 'ten_thousand', numbers: 10_000 } as const;
    }),
    ...Array.from({ length: SMALL }, (_, i) => {
      return { id: `small-${copy}-${i}`, kind: 'small', numbers: 10 + ((i * 37) % 191) } as const;
    }),
  ];
}

/** One account of 200,000 numbers, ten of 10,000 and the rest of 10 to 200, as often as `scale` says. */
export function benchAccounts(scale = 1): BenchAccount[] {
  let first = 1;
  return Array.from({ length: scale }, (_, copy) => sizesOf(copy))
    .flat()
    .map((size) => {
      const account = { ...size, first };
      first += size.numbers;
      return account;
    });
}

const two = (n: number) => String(n).padStart(2, '0');
const six = (n: number) => String(n % 1_000_000).padStart(6, '0');
const scattered = (id: number) => Math.imul(id, 2_654_435_761) >>> 0;

/** What a search can find of a number. */
export function searchable(id: number): { readonly did: string; readonly comment: string } {
  const r = scattered(id);
  return { did: `+44${2_000_000_000 + (r % 1_000_000_000)}`, comment: `Desk ${r % 5_000} team ${r % 37}` };
}

/** A number as a file has it: texts by the names of the columns. */
export function numberOf(account_id: string, id: number): Readonly<Record<string, string>> {
  const r = scattered(id);
  const day = `${two((r % 12) + 1)}-${two((r % 28) + 1)}`;
  return {
    account_id,
    id: String(id),
    ...searchable(id),
    country_code: COUNTRIES[r % COUNTRIES.length] as string,
    provider: `Carrier ${r % 9}, Inc`,
    status: r % 11 === 0 ? 'blocked' : 'active',
    subscription_status: r % 7 === 0 ? 'disabled' : 'active',
    frequency: r % 3 === 0 ? 'yearly' : 'monthly',
    activation: String((r % 500) / 100),
    monthly: String((r % 900) / 100),
    incoming: `0.00${(r % 90) + 10}`,
    created_at: `2025-${day}T00:00:00.${six(r)}Z`,
    activated_at: r % 13 === 0 ? '' : `2025-${day}T08:00:00.${six(r)}Z`,
    next_payment_at: r % 5 === 0 ? '' : `2026-${day}T00:00:00.${six(r)}Z`,
    is_active_spam_check: String(r % 2 === 0),
    is_spammed: String(r % 29 === 0),
    spam_checked_at: r % 2 === 0 ? `2026-11-${two((r % 19) + 1)}T03:00:00.${six(r)}Z` : '',
  };
}

/** Fields that an operator could declare; those of the deployment that has some are the first four. */
export const OWN_FIELDS = {
  x_site: 'text',
  x_last_call: 'timestamp',
  x_cost: 'charge',
  x_sms: 'flag',
  x_trunk: 'text',
  x_channels: 'integer',
  x_city: 'text',
  x_since: 'timestamp',
} as const;
export const OWN_OF_JOBS = 4;

/** What a number has in them: `x_site` has nine values, as `provider`. */
function ownOf(id: number, fields: number): Readonly<Record<string, string>> {
  const r = scattered(id);
  const day = `${two((r % 12) + 1)}-${two((r % 28) + 1)}`;
  const all: Readonly<Record<keyof typeof OWN_FIELDS, string>> = {
    x_site: `Site ${r % 9}, Main St`,
    x_last_call: r % 4 === 0 ? '' : `2026-${day}T10:04:11.${six(r)}Z`,
    x_cost: String((r % 700) / 100),
    x_sms: String(r % 3 === 0),
    x_trunk: `trunk-${r % 40}`,
    x_channels: String(r % 30),
    x_city: `City ${r % 200}`,
    x_since: `2024-${day}T00:00:00.${six(r)}Z`,
  };
  return Object.fromEntries(Object.entries(all).slice(0, fields));
}

/** A number with the first of these fields. */
export const numberWithOwn = (account_id: string, id: number, fields: number) => ({
  ...numberOf(account_id, id),
  ...ownOf(id, fields),
});

/** The names of its columns. */
export const COLUMNS = Object.keys(numberOf('', 0));

export const csvCell = (cell: string) => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

export function writeLines(path: string, lines: Iterable<string>): void {
  const file = openSync(path, 'w');
  let text = '';
  for (const line of lines) {
    text += `${line}\n`;
    if (text.length < FLUSH_CHARACTERS) continue;
    writeSync(file, text);
    text = '';
  }
  writeSync(file, text);
  closeSync(file);
}

function* linesOf(accounts: readonly BenchAccount[], fields: number): Iterable<string> {
  yield Object.keys(numberWithOwn('', 0, fields)).join();
  for (const { id, first, numbers } of accounts) {
    for (let i = 0; i < numbers; i++)
      yield Object.values(numberWithOwn(id, first + i, fields))
        .map(csvCell)
        .join();
  }
}

/** Writes the numbers of the accounts, with own fields if any, as a file to import. */
export function writeNumbers(path: string, accounts: readonly BenchAccount[], fields = 0): void {
  writeLines(path, linesOf(accounts, fields));
}
