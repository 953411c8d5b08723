// Webhooks: the settings of what secrets are derived from and who delivers, and the options of what an
// endpoint subscribes to.

import { lists } from '@linecard/client/contract';
import { WEBHOOK_EVENTS, WEBHOOK_FORMATS, type WebhookEvent } from '@linecard/client/contract/webhooks';
import {
  flag,
  integer,
  networks,
  oneOf,
  optional,
  parameter,
  pastTime,
  text,
  textsOf,
  timeOfDay,
} from './kinds.ts';

const MAX_KEYS = 2;

/** Names, which are checked together with the rest of an endpoint. */
const names = (value: string, about: string) =>
  optional(textsOf('one or more names'), about, { value, option: `${value}s` });

export const webhookSettings = {
  signing_key: parameter({
    value: 'key',
    several: ' ',
    isSecret: true,
    default: [] as readonly string[],
    allowed: 'one or two keys, each 32 bytes in base64 or the path of a file with that',
    read: (text: string) => {
      const given = text.split(/\s+/).filter(Boolean);
      return given.length > 0 && given.length <= MAX_KEYS ? given : undefined;
    },
    about:
      'the key from which webhook secrets are derived: 32 bytes in base64, or a file with them; while you change it, the new key and then the old one; safer as the variable',
  }),
  deliver: flag('also deliver webhooks, on a thread of its own; with PostgreSQL use linecard-server deliver'),
  due_at: optional(
    timeOfDay,
    'the time of day in UTC to deliver due payments, such as 07:30; 06:00 if not given',
  ),
  max_webhooks: parameter({
    ...integer(1, 100),
    default: 5,
    about: 'the most webhooks of an account',
  }),
  deliver_allow: parameter({
    ...networks,
    value: 'network',
    about:
      'a private address or network, such as 10.1.0.0/16, to which webhooks may be sent; all others are refused',
  }),
} as const;

export const webhookOptions = {
  webhook_url: text('url', 'where deliveries are sent: https, without user name and fragment', {
    option: 'url',
  }),
  webhook_events: names(
    'event',
    `an event to send, of ${Object.keys(WEBHOOK_EVENTS).join(', ')}; all but changed and payments_due if none is given`,
  ),
  webhook_lists: names(
    'list',
    `a list whose events are sent, of ${Object.keys(lists)
      .map((name) => name.replaceAll('_', '-'))
      .join(', ')}; all lists if none is given`,
  ),
  webhook_fields: names(
    'field',
    'a field of the items to send, in addition to id; all fields if none is given',
  ),
  webhook_without_charges: flag('deliveries have no charges and no sums of them', {
    option: 'without_charges',
  }),
  webhook_format: optional(
    oneOf(...WEBHOOK_FORMATS),
    'json: the items; text: one sentence, for Slack, Mattermost and the like; json if not given',
    { option: 'format', value: 'format' },
  ),
  replay_from: optional(
    pastTime,
    'deliver everything since this time again: yesterday, 12h (ago), a date or a timestamp',
    { option: 'from' },
  ),
  test_event: optional(
    oneOf(...(Object.keys(WEBHOOK_EVENTS) as WebhookEvent[])),
    'send what this event looks like, of an item of the list and marked as a test, instead of webhook.test',
    { option: 'event', value: 'event' },
  ),
  all_webhooks: flag('every webhook of the database', { option: 'all' }),
} as const;
