// What a webhook endpoint subscribes to, and its address: from the options of a command or the JSON of a
// request, with every fault at once.

import { isIP } from 'node:net';
import { lists } from '@linecard/client/contract';
import { REPLACED } from '@linecard/client/contract/activity';
import { CHARGES_EVENT, eventsOf, type List } from '@linecard/client/contract/list';
import { shown } from '@linecard/client/contract/query-faults';
import { nearest } from '@linecard/client/contract/suggestion';
import {
  defaultEvents,
  PAYMENTS_DUE,
  WEBHOOK_EVENTS,
  WEBHOOK_FORMATS,
  type WebhookEvent,
} from '@linecard/client/contract/webhooks';
import { listed } from '@linecard/client/contract/wording';
import { isName, NAME_FORM } from '../operations/field.ts';
import { isPublicAddress, networksOf } from '../public-addresses.ts';
import type { ListName } from '../store/tables.ts';
import type { WebhookScope } from '../store/webhooks.ts';

const MAX_URL_CHARACTERS = 2_000;
const BLANK = /[\s\p{Cc}]/u;
/** Names that lead to the machine itself, or to machines next to it. */
const LOCAL = /^(?:.+\.)?(?:localhost|local|internal)\.?$/;
const LIST_NAMES = Object.keys(lists) as ListName[];
const EVENT_NAMES = Object.keys(WEBHOOK_EVENTS) as WebhookEvent[];

/** A member of a request, and of an endpoint. */
export type ScopeMember = keyof WebhookScope;

/** What is wrong with a member, as it reads after its name. */
export interface ScopeFault {
  readonly member: string;
  readonly what: string;
}

export class ScopeRefused extends Error {
  override readonly name = 'ScopeRefused';
  readonly faults: readonly ScopeFault[];

  constructor(faults: readonly ScopeFault[]) {
    super(faults.map(({ member, what }) => `${member} ${what}.`).join('\n'));
    this.faults = faults;
  }
}

/** What an option or a request says of it. */
export type GivenScope = Readonly<Record<string, unknown>>;

type Report = (member: string, what: string) => void;

const own = (names: readonly ListName[] | null): List[] => (names ?? LIST_NAMES).map((name) => lists[name]);
const fieldsOf = (names: readonly ListName[] | null) => [
  ...new Set(own(names).flatMap((list) => Object.keys(list.fields))),
];
const possibleEvents = (names: readonly ListName[] | null): readonly string[] => [
  PAYMENTS_DUE,
  ...own(names).flatMap(eventsOf),
];

function hintOf(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === undefined ? `(known are ${known.join(', ')})` : `(did you mean ${meant}?)`;
}

/** Names of a set, in its order; `undefined` where they are not. */
function namesOf<T extends string>(
  member: ScopeMember,
  given: unknown,
  known: readonly T[],
  report: Report,
): readonly T[] | undefined {
  if (!Array.isArray(given) || given.length === 0 || given.some((name) => typeof name !== 'string')) {
    report(member, `must be a list of names, some of ${known.join(', ')}`);
    return undefined;
  }
  for (const name of new Set(given as string[])) {
    if (known.some((one) => one === name)) continue;
    // Always sent: nobody subscribes to it.
    if (name === REPLACED) {
      report(member, 'must not name replaced, which is always sent');
      continue;
    }
    report(member, `must not name ${JSON.stringify(shown(name))} ${hintOf(name, known)}`);
  }
  return known.filter((name) => given.includes(name));
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

/** How each member is read; `undefined` where it has a fault, which is reported. */
const READERS: {
  readonly [M in ScopeMember]: (
    given: unknown,
    report: Report,
    allow: readonly string[],
  ) => WebhookScope[M] | undefined;
} = {
  url(given, report, allow) {
    const faults = typeof given === 'string' ? addressFaults(given, allow) : ['must be a text'];
    for (const what of faults) report('url', what);
    return faults.length === 0 ? new URL(given as string).href : undefined;
  },
  name(given, report) {
    if (isName(given)) return given;
    report('name', NAME_FORM);
    return undefined;
  },
  format(given, report) {
    const format = WEBHOOK_FORMATS.find((one) => one === given);
    if (format === undefined) report('format', `must be ${listed(WEBHOOK_FORMATS, 'or')}`);
    return format;
  },
  lists: (given, report) => (given === null ? null : namesOf('lists', given, LIST_NAMES, report)),
  events: (given, report) => namesOf('events', given, EVENT_NAMES, report),
  fields: (given, report) => (given === null ? null : namesOf('fields', given, fieldsOf(null), report)),
  charges(given, report) {
    if (typeof given === 'boolean') return given;
    report('charges', 'must be true or false');
    return undefined;
  },
};

const SCOPE_MEMBERS = Object.keys(READERS) as ScopeMember[];

/** The members of a scope alone: an endpoint has more, which go on changing. */
const scopeOf = (endpoint: WebhookScope) =>
  Object.fromEntries(SCOPE_MEMBERS.map((name) => [name, endpoint[name]])) as Partial<WebhookScope>;

const DEFAULTS = { name: '', format: 'json', lists: null, fields: null, charges: true } as const;

/** What each member is, if it is of its own form, and together do not fit. */
function mustFit({ lists: names, events, fields, charges }: WebhookScope, report: Report): void {
  const possible = possibleEvents(names);
  const strange = events.filter((name) => !possible.includes(name));
  if (strange.length > 0)
    report('events', `must not name ${listed(strange)}: ${listed(names ?? [])} has no such event`);
  if (!charges && events.includes(CHARGES_EVENT))
    report('events', `must not name ${CHARGES_EVENT} for an endpoint without charges`);
  const known = fieldsOf(names);
  const others = (fields ?? []).filter((name) => !known.includes(name));
  if (others.length > 0)
    report('fields', `must not name ${listed(others)}: ${listed(names ?? [])} has no such field`);
  const isCharge = (name: string) => own(names).some((list) => list.fields[name]?.kind === 'charge');
  const charged = charges ? [] : (fields ?? []).filter(isCharge);
  if (charged.length > 0)
    report('fields', `must not name ${listed(charged)} for an endpoint without charges`);
}

export interface ScopeOptions {
  /** Private networks that may be delivered to. */
  readonly allow: readonly string[];
  /** The endpoint as it was before a change. */
  readonly before?: WebhookScope;
  /** What else is wrong with the request. */
  readonly faults?: readonly ScopeFault[];
}

/**
 * What an endpoint subscribes to, from what is given.
 * @throws {ScopeRefused} with every fault.
 */
export function readScope(given: GivenScope, options: ScopeOptions): WebhookScope {
  const { allow, before } = options;
  const faults = [...(options.faults ?? [])];
  const report: Report = (member, what) => faults.push({ member, what });
  for (const name of Object.keys(given)) {
    if (SCOPE_MEMBERS.some((member) => member === name)) continue;
    report(shown(name), `is not a member of an endpoint ${hintOf(name, SCOPE_MEMBERS)}`);
  }
  const read = Object.fromEntries(
    SCOPE_MEMBERS.filter((member) => given[member] !== undefined).map((member) => [
      member,
      READERS[member](given[member], report, allow),
    ]),
  ) as Partial<WebhookScope>;
  if (before === undefined && given['url'] === undefined) report('url', 'is missing');
  if (faults.length > 0) throw new ScopeRefused(faults);
  const merged = { ...DEFAULTS, ...(before && scopeOf(before)), ...read };
  const possible = possibleEvents(merged.lists);
  const usual = defaultEvents(merged.charges).filter((name) => possible.includes(name));
  const scope = { ...merged, events: merged.events ?? usual } as WebhookScope;
  mustFit(scope, report);
  if (faults.length > 0) throw new ScopeRefused(faults);
  return scope;
}
