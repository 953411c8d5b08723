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
