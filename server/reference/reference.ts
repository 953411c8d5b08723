// The formats of the reference, with the deployment's URL in every example.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CATALOG_PATH, type REFERENCE_PATHS } from '@linecard/client/contract/addresses';
import { EXAMPLE_URL } from '@linecard/client/openapi/code-samples';
import type { Section } from '@linecard/client/openapi/guide';
import { CATALOG_TYPE, catalogText } from './catalog.ts';
import type { ReferenceDocument } from './document.ts';
import { choiceStyle, type Look, page } from './page.ts';
import { llmsText, markdownReference } from './text.ts';

export interface Reference {
  readonly headers: Readonly<Record<string, string>>;
  /** @param url URL of the deployment, safe in HTML and in a shell; by default that of the examples. */
  readonly write: (url?: string) => string;
}

const textOf = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
const STYLE = textOf('./reference.css');
const SCRIPT = textOf('./comfort.mjs');
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const HEADERS = {
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** Generates the text on first use, with the URL of the examples, and replaces it for each request. */
function template(make: () => string): Reference['write'] {
  let parts: string[] | undefined;
  return (url = EXAMPLE_URL) => {
    parts ??= make().split(EXAMPLE_URL);
    return parts.join(url);
  };
}

/** Optional: a font that comes late is that of the next page, and no text moves. */
const fontFace = (address: string) =>
  `@font-face { font-family: "Inter Variable"; src: url("${address}") format("woff2"); font-weight: 100 900; font-display: optional; }`;

/**
 * The page of a document. Its content security policy allows only its style and script, by their hashes, and
 * its font.
 */
export function pageReference(
  document: ReferenceDocument,
  guide: readonly Section[],
  look: Look = {},
): Reference {
  const { font } = look;
  const face = font === undefined ? '' : fontFace(font);
  const style = `${face}${STYLE}\n${choiceStyle(document)}\n${look.style ?? ''}`;
  const fonts = font === undefined ? '' : ` font-src 'self';`;
  const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(SCRIPT)}; img-src ${look.logos?.length ? "'self'" : 'data:'};${fonts} base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return {
    headers: {
      ...HEADERS,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
    },
    write: template(() => page(document, guide, { style, script: SCRIPT }, look).html),
  };
}

export function references(
  document: ReferenceDocument,
  guide: readonly Section[],
  look: Look = {},
): Readonly<Record<(typeof REFERENCE_PATHS)[number], Reference>> {
  const { headers, write } = pageReference(document, guide, look);
  return {
    '/docs': {
      headers: {
        ...headers,
        link: '<docs.md>; rel="alternate"; type="text/markdown", <llms.txt>; rel="alternate"; type="text/plain"',
      },
      write,
    },
    '/docs.md': {
      headers: { ...HEADERS, 'content-type': 'text/markdown; charset=utf-8' },
      write: template(() => markdownReference(document, guide)),
    },
    [CATALOG_PATH]: {
      headers: { ...HEADERS, 'content-type': CATALOG_TYPE },
      write: template(() => catalogText(EXAMPLE_URL, look.hasAgents)),
    },
    '/llms.txt': {
      headers: { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' },
      write: template(() => llmsText(document, EXAMPLE_URL, look.supportUrl)),
    },
  };
}
