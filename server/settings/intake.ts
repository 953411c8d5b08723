// The settings of the intake, which receives imports over HTTP, and of the commands that send them; and their
// options.

import { flag, integer, listenAddress, parameter, text, textsOf } from './kinds.ts';

const SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;
/** The sizes that Standard Webhooks allows. */
const SECRET_BYTES = { min: 24, max: 64 } as const;

function isSecret(text: string): boolean {
  if (!SECRET.test(text)) return false;
  const { length } = Buffer.from(text.slice('whsec_'.length), 'base64');
  return length >= SECRET_BYTES.min && length <= SECRET_BYTES.max;
}

export const intakeSettings = {
  intake_host: parameter({
    ...listenAddress,
    option: 'host',
    default: '127.0.0.1',
    about: 'the address to listen on; :: for every address, 0.0.0.0 for those of IPv4',
  }),
  intake_port: parameter({
    ...integer(0, 65_535, 'port'),
    option: 'port',
    default: 8081,
    about: 'the port to listen on; 0 for any free one',
  }),
  import_timeout: parameter({
    ...integer(0, 3_600, 'seconds'),
    default: 30,
    about: 'how long an import waits for another to end before it fails with 503, in seconds',
  }),
  mappings: text(
    'folder',
    'the folder of the mappings that senders may name: ?mapping=billing reads billing.json in it',
  ),
  webhook_secret: parameter({
    ...textsOf('whsec_ and 24 to 64 bytes in base64', isSecret, /\s+/),
    value: 'secret',
    isSecret: true,
    about:
      'the secret with which senders sign deliveries (Standard Webhooks), whsec_…; safer as the variable',
  }),
} as const;

export const intakeOptions = {
  feed: text('name', 'the name of the feed, for its runs and metrics'),
  failed: flag('only runs that were refused or failed'),
} as const;
