// Messages of webhooks (Standard Webhooks 1.0): whether they are genuine, and what they say.

import type { REPLACED } from '../contract/activity.ts';
import type { lists } from '../contract/contract.ts';
import type { DUE_DAYS, Due } from '../contract/facets.ts';
import { type ClientProblemCode, Problem } from '../contract/problems.ts';
import type { PAYMENTS_DUE, ReplacedReason, TEST_TYPE } from '../contract/webhooks.ts';
import type { AdditionalService } from '../lists/additional-services.ts';
import type { VirtualNumber } from '../lists/virtual-numbers.ts';
import { isObject } from './shape.ts';

/** An item of a message. The operator may have chosen which fields it has. */
export interface WebhookItem<Item> {
  readonly id: number;
  /** As it is when the message is sent; null where the list does not have it any more. */
  readonly item: Partial<Item> | null;
  /**
   * With an event of fields, such as `charges_changed`: those that changed, as they were before the imports
   * that the message is about.
   */
  readonly from?: Partial<Item>;
  /** With `removed`: the number or the title that it was known by. */
  readonly label?: string;
}

/** What happened to items, at most 100 of them; with `more` the next message continues. */
export interface WebhookEventData<Item> {
  readonly account: string;
  readonly count: number;
  readonly items: readonly WebhookItem<Item>[];
  readonly more: boolean;
  /** The operator tries the endpoint: nothing happened. */
  readonly test?: boolean;
}

/** A list that is to be read again. */
export interface WebhookReplacedData {
  readonly account: string;
  readonly list: string;
  /** How many items it has now. */
  readonly total: number;
  readonly reason: ReplacedReason | (string & {});
}

/** Payments that are due. */
export interface WebhookPaymentsData<Item> extends WebhookEventData<Item> {
  readonly due: Readonly<Record<(typeof DUE_DAYS)[number], Due>>;
}

interface Message<Type extends string, Data> {
  /** The `webhook-id`: the same for each attempt of one message. */
  readonly id: string;
  readonly type: Type;
  /** When it happened. */
  readonly timestamp: string;
  readonly data: Data;
}

type EventOf<L extends { readonly events: object }> = keyof L['events'] | 'added' | 'removed' | 'changed';

type MessagesOf<L extends { readonly name: string; readonly events: object }, Item> =
  | Message<`${L['name']}.${EventOf<L> & string}`, WebhookEventData<Item>>
  | Message<`${L['name']}.${typeof REPLACED}`, WebhookReplacedData>
  | Message<`${L['name']}.${typeof PAYMENTS_DUE}`, WebhookPaymentsData<Item>>;

interface Items {
  readonly virtual_numbers: VirtualNumber;
  readonly additional_services: AdditionalService;
}
type Lists = typeof lists;
type MessagesOfLists = { [L in keyof Lists]: MessagesOf<Lists[L], Items[L]> }[keyof Lists];

/** A message by its `type`. A later version may send others: ignore a type that you do not know. */
export type WebhookMessage = MessagesOfLists | Message<typeof TEST_TYPE, { readonly account: string }>;

/** The headers of a request: of `fetch`, or an object as Node.js has it. */
export type WebhookHeaders = Pick<Headers, 'get'> | NamedHeaders;
type NamedHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const TOLERANCE_SECONDS = 300;
const SECONDS = /^\d{1,12}$/;
const SECRET = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const SIGNATURE = /^\w{1,10},[A-Za-z0-9+/]+={0,2}$/;
const VERSION = 'v1,';
const MAX_SIGNATURES = 10;

const problem = (code: ClientProblemCode, detail: string, cause?: unknown) =>
  new Problem(code, detail, cause === undefined ? {} : { cause });

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const given =
    typeof headers.get === 'function'
      ? (headers as Pick<Headers, 'get'>).get(name)
      : Object.entries(headers as NamedHeaders).find(([one]) => one.toLowerCase() === name)?.[1];
  const text = [given ?? ''].flat().join(', ');
  if (text !== '') return text;
  throw problem('webhook-unsigned', `The request has no header ${name}: it is no message of a webhook.`);
}

/** @throws {Problem} `invalid-option` */
function keysOf(secrets: readonly string[]): Promise<CryptoKey[]> {
  const hash = { name: 'HMAC', hash: 'SHA-256' };
  const keys = secrets.map((secret) => {
    const bytes =
      typeof secret === 'string' && SECRET.test(secret) ? bytesOf(secret.slice('whsec_'.length)) : [];
    if (bytes.length > 0)
      return crypto.subtle.importKey('raw', Uint8Array.from(bytes), hash, false, ['verify']);
    throw problem(
      'invalid-option',
      'A secret of a webhook begins with whsec_, as the operator gave it to you.',
    );
  });
  return Promise.all(keys);
}

/** @throws {Problem} `webhook-unsigned` */
function signaturesOf(header: string): Uint8Array<ArrayBuffer>[] {
  const all = header.split(' ', MAX_SIGNATURES);
  if (!all.every((one) => SIGNATURE.test(one)))
    throw problem('webhook-unsigned', 'The header webhook-signature is no list of signatures.');
  const own = all.filter((one) => one.startsWith(VERSION) && one.length % 4 === VERSION.length);
  return own.map((one) => bytesOf(one.slice(VERSION.length)));
}

function parsed(id: string, body: Uint8Array): WebhookMessage {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    throw problem('webhook-unreadable', 'The message is signed, and is no JSON.', error);
  }
  if (
    isObject(value) &&
    typeof value['type'] === 'string' &&
    typeof value['timestamp'] === 'string' &&
    isObject(value['data'])
  )
    return { id, ...value } as unknown as WebhookMessage;
  throw problem(
    'webhook-unreadable',
    'The message is signed, and has no type and data: an endpoint of the format text is for chat.',
  );
}

/**
 * A message that a webhook was sent, if it is genuine and not older than 5 minutes.
 *
 * ```ts
 * import { readWebhook } from '@linecard/client';
 *
 * export async function flagged(request: Request) {
 *   const message = await readWebhook('whsec_…', request.headers, await request.text());
 *   return message.type === 'virtual_numbers.spam_flagged' ? message.data.items.map(({ id }) => id) : [];
 * }
 * ```
 * @param secrets the secret, or several while it is changed
 * @param body as it came, before it is parsed
 * @throws {Problem} `webhook-unsigned`, `webhook-expired`, `webhook-forged` or `webhook-unreadable`
 */
export async function readWebhook(
  secrets: string | readonly string[],
  headers: WebhookHeaders,
  body: string | ArrayBuffer | Uint8Array,
): Promise<WebhookMessage> {
  const keys = await keysOf([secrets].flat());
  const [id, time] = [headerOf(headers, 'webhook-id'), headerOf(headers, 'webhook-timestamp')];
  const signatures = signaturesOf(headerOf(headers, 'webhook-signature'));
  const encoder = new TextEncoder();
  const bytes = typeof body === 'string' ? encoder.encode(body) : new Uint8Array(body);
  const head = encoder.encode(`${id}.${time}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  const checks = keys.flatMap((key) =>
    signatures.map((one) => crypto.subtle.verify('HMAC', key, one, signed)),
  );
  if (!(await Promise.all(checks)).includes(true))
    throw problem('webhook-forged', 'No signature of the message is of this secret and this body.');
  const off = SECONDS.test(time) ? Math.abs(Date.now() / 1_000 - Number(time)) : Number.NaN;
  if (off <= TOLERANCE_SECONDS) return parsed(id, bytes);
  throw problem(
    'webhook-expired',
    'The message was not sent within 5 minutes of now: it may be a repeated one.',
  );
}
