// Markdown, as the guide is written in: lines and fenced code.

import type { CodeSample } from './code-samples.ts';

export function lines(...parts: string[]): string {
  return parts.join('\n');
}

/** Code; with a label it is one of several ways to write the same, and stands beside those that follow it. */
export function fenced({
  lang,
  label,
  source,
}: Pick<CodeSample, 'lang' | 'source'> & { label?: string }): string {
  const info = label === undefined ? lang : `${lang} ${label}`;
  return `\`\`\`${info}\n${source}\n\`\`\``;
}
