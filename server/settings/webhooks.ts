// The settings of webhooks: what an endpoint is told, what secrets are derived from, and who delivers.

import { optionalText, setting } from './kinds.ts';

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
  deliver_role: setting({
    ...optionalText,
    value: 'role',
    about:
      'the PostgreSQL role used by deliver: created if missing, reads the lists and writes how far webhooks are delivered',
  }),
} as const;
