// Systems whose files are known by their columns, and what each of these is in Linecard. What a carrier pays
// its vendor is in none of them.

import type { Condition, Mapping } from './written.ts';

interface System {
  readonly title: string;
  /** Names that a file of it has, in lower case and without what is in brackets. */
  readonly has: readonly string[];
  /** By column of virtual numbers. */
  readonly columns: Readonly<Record<string, string>>;
  readonly only?: readonly Condition[];
  readonly values?: NonNullable<Mapping['values']>;
  readonly unique?: string;
  readonly questions?: readonly string[];
}

const ENABLED = { status: { '1': 'active', '0': 'inactive', true: 'active', false: 'inactive' } };
const owned = (column: string): readonly Condition[] => [{ column, not_in: ['0', ''] }];

const SYSTEMS: readonly System[] = [
  {
    title: 'A2Billing',
    has: ['id_cc_didgroup', 'iduser', 'did', 'fixrate'],
    columns: {
      account_id: 'iduser',
      id: 'id',
      did: 'did',
      comment: 'description',
      monthly: 'fixrate',
      status: 'activated',
      created_at: 'creationdate',
    },
    only: owned('iduser'),
    values: ENABLED,
  },
  {
    title: 'MagnusBilling',
    has: ['id_user', 'did', 'fixrate', 'activated'],
    columns: {
      account_id: 'id_user',
      id: 'id',
      did: 'did',
      comment: 'description',
      monthly: 'fixrate',
      activation: 'connection_charge',
      status: 'activated',
      created_at: 'creationdate',
    },
    only: owned('id_user'),
    values: ENABLED,
  },
  {
    title: 'ASTPP',
    has: ['did', 'account', 'setup fee', 'monthly fee', 'call type'],
    columns: {
      account_id: 'account',
      did: 'did',
      country: 'country',
      activation: 'setup fee',
      monthly: 'monthly fee',
      status: 'status',
    },
    only: [{ column: 'account', present: true }],
    values: { status: { Active: 'active', Inactive: 'inactive' } },
  },
  {
    title: 'FusionPBX',
    has: ['destination_uuid', 'destination_type', 'destination_number', 'destination_accountcode'],
    columns: {
      account_id: 'destination_accountcode',
      did: 'destination_number',
      comment: 'destination_description',
      status: 'destination_enabled',
    },
    only: [{ column: 'destination_type', in: ['inbound'] }],
    values: ENABLED,
    questions: [
      'did: are the numbers complete? A mapping does not join "destination_prefix" with a number; the query of "linecard-server recipe show fusionpbx virtual-numbers" does.',
    ],
  },
  {
    title: 'FreePBX',
    has: ['extension', 'cidnum', 'destination', 'mohclass'],
    columns: { did: 'extension', comment: 'description' },
    only: [{ column: 'extension', present: true }],
    unique: 'did',
  },
  {
    title: 'PortaBilling',
    has: ['number', 'did vendor batch'],
    columns: { did: 'number', comment: 'description', country: 'country' },
  },
  {
    title: 'Twilio',
    has: ['sid', 'account_sid', 'phone_number', 'date_created'],
    columns: {
      account_id: 'account_sid',
      did: 'phone_number',
      comment: 'friendly_name',
      status: 'status',
      created_at: 'date_created',
    },
    values: { status: { 'in-use': 'active' } },
  },
  {
    title: 'Telnyx',
    has: ['phone_number', 'connection_name', 'customer_reference'],
    columns: {
      account_id: 'customer_reference',
      did: 'phone_number',
      status: 'status',
      created_at: 'created_at',
    },
    only: [{ column: 'customer_reference', present: true }],
  },
];

/** What a system's file is taken for, with the names that it has. */
export type KnownFile = Omit<System, 'has' | 'only'> & { readonly only: readonly Condition[] };

const keyOf = (name: string) =>
  name
    .replace(/\([^()]*\)$/, '')
    .trim()
    .toLowerCase();

/** The system that a file of these names is of, if it is known. */
export function systemOf(names: readonly string[]): KnownFile | undefined {
  const named = new Map(names.map((name) => [keyOf(name.slice(name.lastIndexOf('.') + 1)), name] as const));
  const system = SYSTEMS.find(({ has }) => has.every((name) => named.has(name)));
  if (system === undefined) return undefined;
  const { has: _has, columns, only = [], ...rest } = system;
  const there = Object.entries(columns).flatMap(([column, key]) => {
    const name = named.get(key);
    return name === undefined ? [] : [[column, name] as const];
  });
  return {
    ...rest,
    columns: Object.fromEntries(there),
    only: only.map((one) => ({ ...one, column: named.get(one.column) ?? one.column })),
  };
}
