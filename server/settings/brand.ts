// The settings of the operator's name, which customers see in place of Linecard's.

import { optional, text } from './kinds.ts';

const MAX_CHARACTERS = 60;
const COLOR = /^#[0-9a-f]{6}$/i;

const isOneLine = (text: string) => text.trim() !== '' && !/\p{Cc}/u.test(text);

export const brandSettings = {
  brand_name: optional(
    {
      value: 'name',
      allowed: `a text of 1 to ${MAX_CHARACTERS} characters on one line`,
      read: (text: string) =>
        isOneLine(text) && Array.from(text).length <= MAX_CHARACTERS ? text.trim() : undefined,
    },
    'your name, which customers see in place of Linecard in the console, /docs, llms.txt and /mcp',
  ),
  brand_logo: text('file', 'your logo in the console and /docs: an SVG or PNG of at most 256 KiB'),
  brand_logo_dark: text('file', 'your logo on dark ground; the one of --brand-logo if not given'),
  brand_color: optional(
    {
      value: 'color',
      allowed: 'a colour such as #0b6e4f',
      read: (text: string) => (COLOR.test(text) ? text.toLowerCase() : undefined),
    },
    'your colour, of links and buttons; a contrast of 4.5:1 on light ground is required, and on dark ground a lighter shade is used',
  ),
  support_url: optional(
    {
      value: 'url',
      allowed: 'a URL that begins with https:, http: or mailto:',
      read: (text: string) =>
        /^(?:https?|mailto):$/.test(URL.parse(text)?.protocol ?? '') ? text : undefined,
    },
    'where customers get help; errors, the menu of the console and /docs link to it',
  ),
} as const;
