// `Link` headers (RFC 8288) as far as the client reads them: the query of the one that has a relation.

const LINK = /<([^<>]*)>((?:\s*;\s*[\w*]+\s*=\s*(?:"[^"]*"|[^\s;,"]+))*)/g;
const REL = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]*))/i;

/** The query of the first target with this relation; `undefined` where there is none. */
export function linkedQuery(link: string | null, relation: string): URLSearchParams | undefined {
  for (const [, target = '', attributes = ''] of (link ?? '').matchAll(LINK)) {
    const [, quoted, bare = ''] = REL.exec(attributes) ?? [];
    if (!(quoted ?? bare).split(' ').includes(relation)) continue;
    return new URLSearchParams(target.slice(target.indexOf('?') + 1));
  }
  return undefined;
}
