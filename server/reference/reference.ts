// The reference in all its forms, each as what is sent for a path, with the address of the deployment in
// every example.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { OpenApiDocument } from '@linecard/client/openapi';
import { EXAMPLE_URL } from '@linecard/client/openapi/code-samples';
import { choiceStyle, page } from './page.ts';
import { llmsText, markdownReference } from './text.ts';

/** One form of the reference. */
export interface Reference {
  readonly path: string;
  /** What it must be sent with. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * It for a deployment at the URL, which must be safe in a page and in a shell; for an example of one
   * without.
   */
  write(url?: string): string;
}

const STYLE = readFileSync(new URL('./reference.css', import.meta.url), 'utf8');

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** Is made at the first request, with the example's address; each request has its own put in. */
function template(make: () => string): Reference['write'] {
  let parts: string[] | undefined;
  return (url = EXAMPLE_URL) => {
    parts ??= make().split(EXAMPLE_URL);
    return parts.join(url);
  };
}

/**
 * The forms of a document's reference. The policy of the page allows its own style, by its hash, and nothing
 * else.
 */
export function references(document: OpenApiDocument): Reference[] {
  const style = `${STYLE}\n${choiceStyle(document)}\n`;
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return [
    {
      path: '/docs',
      headers: {
        ...HEADERS,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy,
        link: '<docs.md>; rel="alternate"; type="text/markdown", <llms.txt>; rel="alternate"; type="text/plain"',
      },
      write: template(() => page(document, style).html),
    },
    {
      path: '/docs.md',
      headers: { ...HEADERS, 'content-type': 'text/markdown; charset=utf-8' },
      write: template(() => markdownReference(document)),
    },
    {
      path: '/llms.txt',
      headers: { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' },
      write: template(() => llmsText(document, EXAMPLE_URL)),
    },
  ];
}
