// Markdown of the guide as HTML.

import { Marked, type Token } from 'marked';
import { codeTabs, type Html, type Sample } from './markup.ts';

const marked = new Marked({ gfm: true, async: false });

function sampleOf(token: Token): Sample | undefined {
  if (token.type !== 'code') return undefined;
  const { lang = '', text } = token as { lang?: string; text: string };
  const label = lang.slice(lang.indexOf(' ') + 1);
  return label === lang ? undefined : { label, source: text };
}

/**
 * For trusted Markdown only, because HTML in it is not sanitized. Consecutive labelled blocks become tabs.
 */
export function markdown(text: string): Html {
  const parts: string[] = [];
  let samples: Sample[] = [];
  const flush = () => {
    if (samples.length > 0) parts.push(codeTabs(samples).html);
    samples = [];
  };
  for (const token of marked.lexer(text)) {
    const sample = sampleOf(token);
    if (sample !== undefined) samples.push(sample);
    else if (token.type !== 'space') {
      flush();
      parts.push(marked.parser([token]));
    }
  }
  flush();
  return { html: parts.join('') };
}

export function sentence(text: string): Html {
  return { html: marked.parseInline(text) as string };
}
