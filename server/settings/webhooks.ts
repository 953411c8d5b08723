// The settings of webhooks: what an endpoint is told, what secrets are derived from, and who delivers.

import { flag, integer, networks, optionalText, setting, timeOfDay } from './kinds.ts';

const MAX_KEYS = 2;

export const webhookSettings = {
  signing_key: setting({
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
      'the key that the secrets of webhooks are derived from: 32 bytes in base64, or a file with that; the new key first, then the old one, while it is changed; safer as the variable',
  }),
  deliver: setting({
    ...flag,
    about: 'also deliver webhooks, on a thread of its own; with PostgreSQL use linecard-server deliver',
  }),
  deliver_connections: setting({
    ...integer(1, 1_000),
    default: 16,
    about: 'how many webhooks are sent to at once; of one account at most 4',
  }),
  deliver_allow: setting({
    ...networks,
    value: 'network',
    default: [] as readonly string[],
    about:
      'an address or network such as 10.1.0.0/16 that webhooks may be on although it is not public; all others are refused',
  }),
  due_at: setting({
    ...timeOfDay,
    default: undefined as number | undefined,
    about:
      'the time of day in UTC at which payments that are due are delivered, such as 07:30; 06:00 if not given',
  }),
  deliver_role: setting({
    ...optionalText,
    value: 'role',
    about:
      'the PostgreSQL role used by deliver: created if missing, reads the lists and writes how far webhooks are delivered',
  }),
} as const;
