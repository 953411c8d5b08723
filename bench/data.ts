// The data of the bench: accounts of the sizes that customers have, as a CSV file, always the same.

import { closeSync, openSync, writeSync } from 'node:fs';

/** Sizes of the accounts: most small, ten of 10,000 numbers, one of 200,000; `scale` multiplies the accounts. */
export interface BenchAccount {
  readonly id: string;
  readonly kind: 'small' | 'ten_thousand' | 'huge';
  readonly numbers: number;
}

const SMALL = 989;
const TEN_THOUSAND = 10;
const COUNTRIES = [
  'GB',
  'DE',
  'FR',
  'US',
  'SE',
  'IE',
  'AU',
  'CA',
  'ES',
  'IT',
  'NL',
  'PL',
  'PT',
  'FI',
  'NO',
  'DK',
];
const HEADER =
  'account_id,id,did,comment,country_code,provider,status,subscription_status,frequency,activation,monthly,incoming,' +
  'created_at,activated_at,next_payment_at,is_active_spam_check,is_spammed,spam_checked_at\n';
const FLUSH_CHARACTERS = 1_000_000;

export function benchAccounts(scale = 1): BenchAccount[] {
  const accounts: BenchAccount[] = [];
  for (let copy = 0; copy < scale; copy++) {
    accounts.push({ id: `huge-${copy}`, kind: 'huge', numbers: 200_000 });
    for (let i = 0; i < TEN_THOUSAND; i++) {
      accounts.push({ id: `large-${copy}-${i}`, kind: 'ten_thousand', numbers: 10_000 });
    }
    for (let i = 0; i < SMALL; i++) {
      accounts.push({ id: `small-${copy}-${i}`, kind: 'small', numbers: 10 + ((i * 37) % 191) });
    }
  }
  return accounts;
}

const two = (n: number) => String(n).padStart(2, '0');
const six = (n: number) => String(n % 1_000_000).padStart(6, '0');

/** One number; what it looks like follows from its id. */
function line(account_id: string, id: number): string {
  const r = Math.imul(id, 2_654_435_761) >>> 0;
  const day = `${two((r % 12) + 1)}-${two((r % 28) + 1)}`;
  return [
    account_id,
    id,
    `+44${2_000_000_000 + (r % 1_000_000_000)}`,
    `Desk ${r % 5_000} team ${r % 37}`,
    COUNTRIES[r % COUNTRIES.length],
    `"Carrier ${r % 9}, Inc"`,
    r % 11 === 0 ? 'blocked' : 'active',
    r % 7 === 0 ? 'disabled' : 'active',
    r % 3 === 0 ? 'yearly' : 'monthly',
    (r % 500) / 100,
    (r % 900) / 100,
    `0.00${(r % 90) + 10}`,
    `2025-${day}T00:00:00.${six(r)}Z`,
    r % 13 === 0 ? '' : `2025-${day}T08:00:00.${six(r)}Z`,
    r % 5 === 0 ? '' : `2026-${day}T00:00:00.${six(r)}Z`,
    r % 2 === 0,
    r % 29 === 0,
    r % 2 === 0 ? `2026-11-${two((r % 19) + 1)}T03:00:00.${six(r)}Z` : '',
  ].join(',');
}

/** Writes the numbers of the accounts as CSV; gives how many there are. */
export function writeNumbers(path: string, accounts: readonly BenchAccount[]): number {
  const file = openSync(path, 'w');
  let text = HEADER;
  let id = 0;
  for (const account of accounts) {
    for (let i = 0; i < account.numbers; i++) {
      id += 1;
      text += `${line(account.id, id)}\n`;
      if (text.length < FLUSH_CHARACTERS) continue;
      writeSync(file, text);
      text = '';
    }
  }
  writeSync(file, text);
  closeSync(file);
  return id;
}
