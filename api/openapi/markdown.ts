// Helpers for Markdown: lines and fenced code.

import type { CodeSample } from './code-samples.ts';

export function lines(...parts: string[]): string {
  return parts.join('\n');
}

/** A label makes it one of several samples, which a reader chooses from. */
export function fenced({
  lang,
  label,
  source,
}: Pick<CodeSample, 'lang' | 'source'> & { label?: string }): string {
  const info = label === undefined ? lang : `${lang} ${label}`;
  return `\`\`\`${info}\n${source}\n\`\`\``;
}

export const sh = (source: string) => fenced({ lang: 'sh', source });

/** JSON with a line for each member of the outermost object. */
export function jsonExample(answer: object): string {
  const members = Object.entries(answer).map(([name, value]) => `  "${name}": ${JSON.stringify(value)}`);
  return fenced({ lang: 'json', source: `{\n${members.join(',\n')}\n}` });
}
