// The settings of intake, which takes imports over HTTP, and of what sends them there: part of the one table
// in settings.ts.

import { anyText, flag, integer, optionalText, setting } from './kinds.ts';

const SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;
/** As Standard Webhooks has it, in bytes. */
const SECRET_BYTES = { min: 24, max: 64 } as const;

function isSecret(text: string): boolean {
  if (!SECRET.test(text)) return false;
  const { length } = Buffer.from(text.slice('whsec_'.length), 'base64');
  return length >= SECRET_BYTES.min && length <= SECRET_BYTES.max;
}

export const intakeSettings = {
  intake_host: setting({
    ...anyText,
    option: 'host',
    value: 'address',
    default: '127.0.0.1',
    about: 'the address to listen on',
  }),
  intake_port: setting({
    ...integer(0, 65_535, 'port'),
    option: 'port',
    default: 8081,
    about: 'the port to listen on; 0 for any free one',
  }),
  import_timeout: setting({
    ...integer(0, 3_600, 'seconds'),
    default: 30,
    about: 'how long an import waits for another to end before it is answered 503, in seconds',
  }),
  webhook_secret: setting({
    value: 'secret',
    several: ' ',
    isSecret: true,
    default: [] as readonly string[],
    allowed: 'whsec_ and 24 to 64 bytes in base64',
    read: (text: string) => {
      const given = text.split(/\s+/).filter(Boolean);
      return given.length > 0 && given.every(isSecret) ? given : undefined;
    },
    about: 'what a sender signs its deliveries with (Standard Webhooks), whsec_…; better as the variable',
  }),
  intake_url: setting({
    ...optionalText,
    option: 'url',
    value: 'url',
    about:
      'send the file to the intake there, such as https://feed.example.com/intake, instead of a database',
  }),
  intake_token: setting({
    ...optionalText,
    option: 'token',
    value: 'token',
    isSecret: true,
    about: 'the operator’s token that it is sent with; better as the variable, which others cannot see',
  }),
  feed: setting({
    ...optionalText,
    value: 'name',
    about: 'the name of the feed, for its runs and metrics; with --url what --sequence numbers',
  }),
  failed: setting({ ...flag, about: 'only runs that were refused or failed' }),
  sequence: setting({
    ...integer(0, 9_999_999_999),
    default: undefined as number | undefined,
    about: 'the number of the file in its feed: what is not newer than the last is refused (with --url)',
  }),
  intake_role: setting({
    ...optionalText,
    value: 'role',
    about:
      'the PostgreSQL role of intake: created where it is missing, with the right to write the lists and no more',
  }),
} as const;
