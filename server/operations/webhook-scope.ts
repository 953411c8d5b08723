// What a webhook endpoint subscribes to, and its address: what each member must be, and which of them fit
// together.

import { isIP } from 'node:net';
import { lists } from '@linecard/client/contract';
import { REPLACED } from '@linecard/client/contract/activity';
import { CHARGES_EVENT, eventsOf, type List } from '@linecard/client/contract/list';
import { OWN_NAME_PATTERN, ownFieldsOf, ownNameFault } from '@linecard/client/contract/own-fields';
import { shown } from '@linecard/client/contract/query-faults';
import { nearest } from '@linecard/client/contract/suggestion';
import { defaultEvents, PAYMENTS_DUE } from '@linecard/client/contract/webhooks';
import { listed } from '@linecard/client/contract/wording';
import { isPublicAddress, networksOf } from '../public-addresses.ts';
import type { ListName } from '../store/tables.ts';
import type { WebhookScope } from '../store/webhooks/webhooks.ts';
import { type Field, Wrong } from './field.ts';
import { type MemberFault, ShapeRefused } from './shape.ts';

const MAX_URL_CHARACTERS = 2_000;
const BLANK = /[\s\p{Cc}]/u;
/** Names that lead to the machine itself, or to machines next to it. */
const LOCAL = /^(?:.+\.)?(?:localhost|local|internal)\.?$/;

/** Those of the lists that an endpoint is about; null for all. */
const among = (all: readonly List[], names: readonly ListName[] | null): readonly List[] =>
  names === null ? all : all.filter(({ name }) => names.some((one) => one === name));

const fieldsOf = (all: readonly List[]): readonly string[] => [
  ...new Set(all.flatMap(({ fields }) => Object.keys(fields))),
];

const possibleEvents = (all: readonly List[]): readonly string[] => [PAYMENTS_DUE, ...all.flatMap(eventsOf)];

const isOwnName = (name: unknown): name is string =>
  typeof name === 'string' && ownNameFault(name) === undefined;

function hintOf(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === undefined ? `(known are ${known.join(', ')})` : `(did you mean ${meant}?)`;
}

/** Some of these names, in their order here; each that is none of them is a fault. */
export const namesField = <const T extends string>(
  known: readonly T[],
  about: Pick<Field, 'about' | 'example'>,
): Field<readonly T[]> => ({
  ...about,
  schema: { type: 'array', items: { type: 'string', enum: known }, minItems: 1 },
  read(given) {
    if (!Array.isArray(given) || given.length === 0 || given.some((name) => typeof name !== 'string'))
      return new Wrong(`must be a list of names, some of ${known.join(', ')}`);
    const strange = [...new Set(given as string[])].filter((name) => !known.some((one) => one === name));
    if (strange.length === 0) return known.filter((name) => given.includes(name));
    return new Wrong(
      ...strange.map((name) =>
        // Always sent: nobody subscribes to it.
        name === REPLACED
          ? 'must not name replaced, which is always sent'
          : `must not name ${JSON.stringify(shown(name))} ${hintOf(name, known)}`,
      ),
    );
  },
});

/** Fields of items. Which of the operator's own are declared is checked by `fittedScope`. */
export function itemFields(about: Pick<Field, 'about' | 'example'>): Field<readonly string[]> {
  const ofContract = namesField(fieldsOf(Object.values(lists)), about);
  const { items: known = {} } = ofContract.schema;
  return {
    ...about,
    schema: {
      ...ofContract.schema,
      items: { anyOf: [known, { type: 'string', pattern: OWN_NAME_PATTERN }] },
    },
    read(given) {
      const names: readonly unknown[] = Array.isArray(given) ? given : [];
      const own = new Set(names.filter(isOwnName));
      if (own.size === 0) return ofContract.read(given);
      const others = names.filter((name) => !isOwnName(name));
      const read = others.length === 0 ? [] : ofContract.read(others);
      return read instanceof Wrong ? read : [...read, ...own];
    },
  };
}

/** Why the host of a URL cannot be delivered to, if it is written as an address. */
function hostFault({ hostname }: URL, allow: readonly string[]): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 0)
    return LOCAL.test(host) ? 'must not lead to a local name such as localhost' : undefined;
  if (isPublicAddress(host, networksOf(allow))) return undefined;
  return `must not be the private or reserved address ${host}; --deliver-allow allows one`;
}

/**
 * What is wrong with the URL of an endpoint. Which addresses its name leads to is checked at each connection;
 * here only what is written as an address.
 */
export function addressFaults(text: string, allow: readonly string[]): string[] {
  const url = URL.parse(text);
  if (url === null || BLANK.test(text))
    return ['must be a URL such as https://crm.example.com/hook, without spaces'];
  const faults = [
    url.protocol === 'https:' ? undefined : 'must begin with https://',
    url.username === '' && url.password === ''
      ? undefined
      : 'must not contain a user name or a password: the signature says who sends',
    text.includes('#') ? 'must not contain a fragment (#…)' : undefined,
    url.href.length > MAX_URL_CHARACTERS
      ? `must not have more than ${MAX_URL_CHARACTERS} characters`
      : undefined,
    hostFault(url, allow),
  ];
  return faults.filter((fault) => fault !== undefined);
}

/** The fields of an endpoint without those that were removed since: their names stay, and nothing is sent. */
export function liveFields(fields: WebhookScope['fields'], all: readonly List[]): WebhookScope['fields'] {
  const known = fieldsOf(all);
  return fields?.filter((name) => known.includes(name)) ?? null;
}

/** Why an own field cannot be sent, and which ones can. */
function undeclared(name: string, all: readonly List[]): MemberFault {
  const declared = [...new Set(all.flatMap(ownFieldsOf).map((own) => own.name))];
  const meant = nearest(name, declared);
  const others = declared.length === 0 ? 'Declare it first.' : `Declared are ${listed(declared)}.`;
  return {
    member: 'fields',
    what: `must not name ${name}, which is not declared or was removed`,
    hint: meant === undefined ? others : `Did you mean ${meant}?`,
  };
}

/**
 * What an endpoint subscribes to, whose members each are what they must be. Its events are those by default
 * if it names none.
 * @param all the lists with what is declared of them.
 * @throws {ShapeRefused} with every fault of what does not fit together.
 */
export function fittedScope(
  given: Omit<WebhookScope, 'events'> & { readonly events: WebhookScope['events'] | undefined },
  all: readonly List[],
): WebhookScope {
  const { lists: names, charges, fields } = given;
  const own = among(all, names);
  const possible = possibleEvents(own);
  const usual = defaultEvents(charges).filter((name) => possible.includes(name));
  const scope = { ...given, events: given.events ?? usual };
  const faults: MemberFault[] = [];
  const mustNotName = (member: 'events' | 'fields', wrong: readonly string[], why: string) => {
    if (wrong.length > 0) faults.push({ member, what: `must not name ${listed(wrong)}${why}` });
  };
  const without = ' for an endpoint without charges';
  const strange = scope.events.filter((name) => !possible.includes(name));
  mustNotName('events', strange, `: ${listed(names ?? [])} has no such event`);
  if (!charges) mustNotName('events', scope.events.includes(CHARGES_EVENT) ? [CHARGES_EVENT] : [], without);
  const anywhere = fieldsOf(all);
  faults.push(
    ...(fields ?? []).filter((name) => !anywhere.includes(name)).map((name) => undeclared(name, all)),
  );
  const known = fieldsOf(own);
  const others = (fields ?? []).filter((name) => anywhere.includes(name) && !known.includes(name));
  mustNotName('fields', others, `: ${listed(names ?? [])} has no such field`);
  const isCharge = (name: string) => own.some((list) => list.fields[name]?.kind === 'charge');
  mustNotName('fields', charges ? [] : (fields ?? []).filter(isCharge), without);
  if (faults.length > 0) throw new ShapeRefused(faults);
  return scope;
}
