// A customer with a few numbers and services, and the customer's command: how `linecard` is run in tests, in
// a home folder of its own, as a child process or one run after the other in one.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ENVIRONMENT } from './environment.ts';
import type { ModelRow } from './model.ts';
import { CLI, killPrograms, runProgram, startProgram } from './program.ts';
import { openService, stores } from './service.ts';
import { temporaryFolder } from './temporary-folder.ts';

const ACCOUNT = 'harbour-dental';

interface Run {
  /** In addition to the customer's own URL and token; `undefined` takes a variable away. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
}

const common = {
  account_id: ACCOUNT,
  comment: '',
  frequency: 'monthly',
  subscription_status: 'active',
  activation: '0',
  activated_at: '2025-02-10T09:00:00.000000Z',
  next_payment_at: null,
};

export function number(id: number, did: string, values: Partial<ModelRow> = {}): ModelRow {
  const country_code = did.startsWith('+49') ? 'DE' : 'GB';
  return {
    ...common,
    id,
    did,
    country: country_code === 'DE' ? 'Germany' : 'United Kingdom',
    country_code,
    provider: country_code === 'DE' ? 'Kabelkiebitz' : 'Thameswire',
    status: 'active',
    monthly: '2.25',
    incoming: '0.0059',
    created_at: '2025-02-09T16:04:11.482913Z',
    is_active_spam_check: true,
    is_spammed: false,
    spam_checked_at: '2025-11-19T03:12:45.120000Z',
    ...values,
  };
}

function serviceRow(id: number, title: string, values: Partial<ModelRow> = {}): ModelRow {
  return { ...common, id, title, monthly: '4.5', category: 'additional', service_name: title, ...values };
}

/**
 * Seven numbers and two services, whose payments are long overdue: what falls due stays the same for ever.
 */
export const rows = {
  virtual_numbers: [
    number(501, '+442079460018', { comment: 'Front desk', next_payment_at: '2025-12-01T00:00:00.000000Z' }),
    number(502, '+442079460019', {
      comment: 'Front desk, overflow',
      monthly: '12',
      is_spammed: true,
      next_payment_at: '2025-12-01T00:00:00.000000Z',
    }),
    number(503, '+442079460020', { comment: 'Fax', status: 'configuration_awaiting', activated_at: null }),
    number(504, '+493023125010', {
      comment: 'Praxis Müller, 2. Stock',
      monthly: '2.5',
      next_payment_at: '2025-12-05T00:00:00.000000Z',
    }),
    number(505, '+493023125011', { comment: '予約デスク', next_payment_at: '2025-12-09T00:00:00.000000Z' }),
    number(506, '+493023125012', {
      comment: '=SUM(A1:A9)',
      frequency: 'yearly',
      monthly: '0.0059',
      next_payment_at: '2026-02-10T00:00:00.000000Z',
    }),
    number(507, '+493023125013', {
      comment: 'bell \u0007 and \u001b[31mred\u001b[0m',
      subscription_status: 'disabled',
    }),
  ],
  additional_services: [
    serviceRow(71, 'VPN access', { next_payment_at: '2025-12-03T00:00:00.000000Z' }),
    serviceRow(72, 'Music on hold', { frequency: 'one_time', activation: '14.9', monthly: '0' }),
  ],
} as const;

export async function openCustomer(
  stored: { virtual_numbers?: readonly ModelRow[]; additional_services?: readonly ModelRow[] } = rows,
) {
  const [kind] = stores;
  if (kind === undefined) throw new Error('There is no store to test with.');
  const service = await openService(kind, { accounts: [ACCOUNT], rows: stored });
  const url = `http://127.0.0.1:${await service.listen()}`;
  const { token } = service.tokenOf(ACCOUNT);
  const home = temporaryFolder();
  mkdirSync(join(home, 'cache'));

  const environment = (changes: Run['environment'] = {}) => {
    const all = {
      ...ENVIRONMENT,
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_CACHE_HOME: join(home, 'cache'),
      TZ: 'UTC',
      LINECARD_URL: url,
      LINECARD_TOKEN: token,
      ...changes,
    };
    const given = Object.entries(all).filter(([, value]) => value !== undefined);
    return Object.fromEntries(given) as Record<string, string>;
  };
  const howOf = ({ environment: changes, input }: Run) => ({
    main: CLI,
    cwd: home,
    env: environment(changes),
    ...(input !== undefined && { input }),
  });
  return {
    url,
    token,
    /** The home folder; commands run here. */
    home,
    service,
    environment,
    start: (words: readonly string[], run: Run = {}) => startProgram(words, howOf(run)),
    /** In a process that the runs of a test file share, unless there is input for it. */
    linecard: (words: readonly string[], run: Run = {}) => runProgram(words, howOf(run)),
    /** In a process of its own, as a shell runs it. */
    alone: (words: readonly string[], run: Run = {}) => runProgram(words, { ...howOf(run), isAlone: true }),
    async close() {
      killPrograms();
      await service.close();
    },
  };
}

export type Customer = Awaited<ReturnType<typeof openCustomer>>;
