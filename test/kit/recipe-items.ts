// What the API lists after the recipes were pulled from the tables in test/import/recipe-tables/.

export type Item = Readonly<Record<string, unknown>>;

interface Listed {
  /** Id, name, currency, parent, and whether it is disabled. */
  readonly accounts: readonly (readonly [string, string, string | null, string | null, boolean])[];
  /** By account. */
  readonly virtual_numbers: Readonly<Record<string, readonly Item[]>>;
  readonly additional_services?: Readonly<Record<string, readonly Item[]>>;
}

const COUNTRIES = {
  DE: 'Germany',
  GB: 'United Kingdom',
  FR: 'France',
  BR: 'Brazil',
  US: 'United States',
  '': '',
};
const SOLD = '2026-02-10T16:04:11.000000Z';
const NEW_YEAR = '2025-01-01T00:00:00.000000Z';
const UNKNOWN = '2000-01-01T00:00:00.000000Z';

function number(id: number, did: string, country_code: keyof typeof COUNTRIES, other: Item): Item {
  const plain = {
    id,
    did,
    comment: '',
    country: COUNTRIES[country_code],
    country_code,
    provider: '',
    status: 'active',
    subscription_status: 'active',
    frequency: 'monthly',
    activation: 0,
    monthly: 0,
    incoming: 0,
    created_at: SOLD,
    activated_at: null,
    next_payment_at: null,
    is_active_spam_check: false,
    is_spammed: false,
    spam_checked_at: null,
  };
  return { ...plain, ...other };
}

function service(id: number, title: string, other: Item): Item {
  const plain = {
    id,
    title,
    comment: '',
    frequency: 'monthly',
    activation: 0,
    monthly: 0,
    activated_at: null,
    next_payment_at: null,
    subscription_status: 'active',
  };
  return { ...plain, ...other };
}

const DISABLED = { status: 'disabled', subscription_status: 'disabled' };
const UNPAID = { frequency: 'one_time' };

const a2billing: Listed = {
  accounts: [
    ['1', 'Harbour Dental', 'USD', null, false],
    ['2', 'Jörg Müller', 'USD', null, true],
    ['3', '1000003', 'USD', null, false],
  ],
  virtual_numbers: {
    1: [
      number(11, '+442079460011', 'GB', {
        monthly: 19.95,
        incoming: 0.0059,
        activated_at: SOLD,
        next_payment_at: '2026-11-10T16:04:11.000000Z',
      }),
    ],
    2: [number(13, '+33140000013', 'FR', { ...DISABLED, ...UNPAID, comment: 'Büro', created_at: NEW_YEAR })],
    3: [
      number(15, '+493023125015', 'DE', { monthly: 1234.56, created_at: UNKNOWN }),
      number(16, '+999123456', '', { ...UNPAID, incoming: 0.5, activated_at: SOLD }),
    ],
  },
  additional_services: {
    1: [
      service(21, 'Voicemail', {
        monthly: 2.9,
        activated_at: SOLD,
        next_payment_at: '2026-12-10T00:00:00.000000Z',
      }),
      service(22, 'Fax, second floor', {
        monthly: 19.95,
        activated_at: SOLD,
        subscription_status: 'suspended',
      }),
    ],
    2: [service(23, 'Voicemail', { monthly: 2.9, subscription_status: 'cancelled' })],
  },
};

const DUE = { next_payment_at: '2026-12-09T23:59:59.000000Z' };

const astpp: Listed = {
  accounts: [
    ['10', 'Northern Resale', 'EUR', null, false],
    ['11', 'Ann Lee', 'EUR', '10', false],
    ['12', 'Harbour Dental', 'EUR', null, true],
    ['14', '1000014', 'EUR', null, false],
  ],
  virtual_numbers: {
    11: [
      number(104, '+493023125104', 'DE', {
        ...DISABLED,
        comment: 'Berlin, Brandenburg',
        frequency: 'yearly',
        monthly: 5,
        created_at: UNKNOWN,
      }),
      number(105, '+493023125105', 'DE', { ...UNPAID, created_at: UNKNOWN }),
    ],
    12: [
      number(101, '+442079460101', 'GB', {
        ...DUE,
        comment: 'London',
        provider: 'Thameswire',
        activation: 1.5,
        monthly: 2.25,
        activated_at: SOLD,
      }),
      number(106, '+442079460106', 'GB', {
        ...UNPAID,
        activation: 10,
        created_at: '2025-02-10T16:04:11.000000Z',
        activated_at: '2025-02-10T16:04:11.000000Z',
      }),
      number(107, '+442079460107', 'GB', { frequency: 'every_7_days', monthly: 3, created_at: UNKNOWN }),
      number(109, '+442079460109', 'GB', {
        ...DUE,
        frequency: 'quarterly',
        monthly: 3.333333,
        activated_at: SOLD,
      }),
    ],
  },
  additional_services: {
    11: [service(22, 'Call recording', { frequency: 'yearly', monthly: 1 })],
    12: [
      service(21, '500 minutes', { ...DUE, monthly: 4.99, activated_at: SOLD }),
      service(23, 'Call recording', {
        ...UNPAID,
        activation: 5,
        activated_at: '2026-03-01T00:00:00.000000Z',
      }),
    ],
  },
};

const magnusbilling: Listed = {
  accounts: [
    ['2', 'Northern Resale', 'USD', null, false],
    ['3', 'Ann Lee', 'USD', null, false],
    ['4', 'harbour', 'USD', '2', true],
    ['5', 'Never begun', 'USD', null, true],
  ],
  virtual_numbers: {
    3: [
      number(31, '+442079460031', 'GB', {
        comment: 'Front desk',
        activation: 5,
        monthly: 19.95,
        incoming: 0.0059,
        activated_at: SOLD,
        next_payment_at: '2026-12-10T16:04:11.000000Z',
      }),
      number(36, '+442079460036', 'GB', { created_at: UNKNOWN }),
    ],
    4: [number(32, '+551130000032', 'BR', { ...UNPAID, incoming: 0.02, activated_at: SOLD })],
    5: [number(34, '+442079460034', 'GB', { ...DISABLED, monthly: 0.35, created_at: NEW_YEAR })],
  },
  additional_services: {
    3: [
      service(41, 'Call limit 10', {
        monthly: 4.5,
        activated_at: SOLD,
        next_payment_at: '2026-12-10T16:04:11.000000Z',
      }),
      service(42, '5 SIP users', { monthly: 19.95 }),
    ],
  },
};

const [HARBOUR, LEFT, PLAIN] = [1, 2, 3].map((n) => `11111111-0000-4000-8000-00000000000${n}`) as [
  string,
  string,
  string,
];
const MIDNIGHT = '2026-02-10T00:00:00.000000Z';

const fusionpbx: Listed = {
  accounts: [
    [HARBOUR, 'Harbour Dental', null, null, false],
    [LEFT, 'left.pbx.example', null, null, true],
    [PLAIN, 'plain.pbx.example', null, null, false],
  ],
  virtual_numbers: {
    [HARBOUR]: [
      number(555123, '555123', '', { ...UNPAID, ...DISABLED, created_at: MIDNIGHT }),
      number(12125550164, '+12125550164', 'US', { ...UNPAID, created_at: MIDNIGHT }),
      number(442079460061, '+442079460061', 'GB', {
        ...UNPAID,
        comment: 'Front desk',
        created_at: '2026-02-10T16:04:11.482913Z',
      }),
      number(493023125062, '+493023125062', 'DE', { ...UNPAID, ...DISABLED, created_at: UNKNOWN }),
    ],
  },
};

const jambonz: Listed = {
  accounts: [
    ['9351f46a-0000-4000-8000-000000000001', 'Harbour Dental', null, null, false],
    ['9351f46a-0000-4000-8000-000000000002', 'Left long ago', null, null, true],
  ],
  virtual_numbers: {
    '9351f46a-0000-4000-8000-000000000001': [
      number(442079460051, '+442079460051', 'GB', { ...UNPAID, provider: 'Thameswire', created_at: UNKNOWN }),
      number(493023125052, '+493023125052', 'DE', { ...UNPAID, created_at: UNKNOWN }),
    ],
  },
};

export const LISTED: Readonly<Record<string, Listed>> = {
  a2billing,
  astpp,
  fusionpbx,
  jambonz,
  magnusbilling,
};
