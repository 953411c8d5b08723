// What every form of the reference is made of: the sections of the guide, and the operations of each tag, as
// they stand in the OpenAPI document.

import type { OpenApiDocument } from '@linecard/client/openapi';
import type { Located } from './operation.ts';

/** The document holds the guide as Markdown; each second-level heading begins a section. */
export function guideSections(document: OpenApiDocument): { title: string; text: string }[] {
  const [, ...sections] = `\n${document.info.description}`.split('\n## ');
  return sections.map((section) => {
    const end = section.indexOf('\n');
    return { title: section.slice(0, end), text: section.slice(end + 1) };
  });
}

export function operationsOf(document: OpenApiDocument, tag: string): Located[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ path, method, operation })),
  );
}
