// Systems whose files are known by their columns: what each of these is in Linecard says the mapping of the
// system in recipes/. What a carrier pays its vendor is in none of them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Condition, Mapping } from './written.ts';

/** A folder for each system: its mapping, and its queries. */
export const RECIPES = join(import.meta.dirname, '..', '..', 'recipes');

interface System {
  readonly title: string;
  /** Names that a file of it has, in lower case and without what is in brackets. */
  readonly has: readonly string[];
  readonly questions?: readonly string[];
}

/** By the folder in recipes/. */
const SYSTEMS: Readonly<Record<string, System>> = {
  a2billing: { title: 'A2Billing', has: ['id_cc_didgroup', 'iduser', 'did', 'fixrate'] },
  magnusbilling: { title: 'MagnusBilling', has: ['id_user', 'did', 'fixrate', 'activated'] },
  astpp: { title: 'ASTPP', has: ['did', 'account', 'setup fee', 'monthly fee', 'call type'] },
  fusionpbx: {
    title: 'FusionPBX',
    has: ['destination_uuid', 'destination_type', 'destination_number', 'destination_accountcode'],
    questions: [
      'did: are the numbers complete? A mapping does not join "destination_prefix" with a number; the query of "linecard-server recipe show fusionpbx virtual-numbers" does.',
    ],
  },
  freepbx: { title: 'FreePBX', has: ['extension', 'cidnum', 'destination', 'mohclass'] },
  portabilling: { title: 'PortaBilling', has: ['number', 'did vendor batch'] },
  twilio: { title: 'Twilio', has: ['sid', 'account_sid', 'phone_number', 'date_created'] },
  telnyx: { title: 'Telnyx', has: ['phone_number', 'connection_name', 'customer_reference'] },
};

export const mappingSystems: readonly string[] = Object.keys(SYSTEMS);

/** The mapping of a system, as its file has it. */
export const systemMapping = (system: string): string =>
  readFileSync(join(RECIPES, system, 'mapping.json'), 'utf8');

/** What a system's file is taken for, with the names that it has. */
export interface KnownFile extends Pick<System, 'title' | 'questions'>, Pick<Mapping, 'values' | 'unique'> {
  /** As `recipe show` names it. */
  readonly folder: string;
  /** By column of virtual numbers. */
  readonly columns: Readonly<Record<string, string>>;
  readonly only: readonly Condition[];
}

const keyOf = (name: string) =>
  name
    .replace(/\([^()]*\)$/, '')
    .trim()
    .toLowerCase();

/** The system that a file of these names is of, if it is known. */
export function systemOf(names: readonly string[]): KnownFile | undefined {
  const named = new Map(names.map((name) => [keyOf(name.slice(name.lastIndexOf('.') + 1)), name] as const));
  const found = Object.entries(SYSTEMS).find(([, { has }]) => has.every((name) => named.has(name)));
  if (found === undefined) return undefined;
  const [folder, { title, questions }] = found;
  const { columns, only = [], values, unique } = JSON.parse(systemMapping(folder)) as Mapping;
  const there = Object.entries(columns).flatMap(([column, source]) => {
    // Which id a file has shows its rows.
    const name = typeof source === 'string' ? named.get(keyOf(source)) : undefined;
    return name === undefined ? [] : [[column, name] as const];
  });
  return {
    folder,
    title,
    ...(questions && { questions }),
    ...(values && { values }),
    ...(unique !== undefined && { unique }),
    columns: Object.fromEntries(there),
    only: only.flatMap((one) => {
      const name = named.get(keyOf(one.column));
      return name === undefined ? [] : [{ ...one, column: name }];
    }),
  };
}
