// Text -> HTML: a template that escapes what is put into it, Markdown, and JSON in colours. It must not know
// what the texts are about.

import { Marked } from 'marked';

/** HTML that is safe in a page as it is. */
export interface Html {
  readonly html: string;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const JSON_TOKEN = /("(?:\\.|[^"\\])*")(:?)|\b(?:true|false|null)\b|-?\d[\d.e+-]*/g;

const marked = new Marked({ gfm: true, async: false });

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] as string);
}

/** A fragment of a page. Texts and numbers that are put in are escaped; fragments are not. */
export function html(
  parts: TemplateStringsArray,
  ...values: (string | number | Html | readonly Html[])[]
): Html {
  const texts = values.map((value) => {
    if (typeof value === 'object')
      return [value]
        .flat()
        .map((one) => one.html)
        .join('');
    return escaped(String(value));
  });
  return { html: String.raw({ raw: parts }, ...texts) };
}

/** Paragraphs, lists, tables and code. For our own Markdown only: HTML in it is not filtered. */
export function markdown(text: string): Html {
  return { html: marked.parse(text) as string };
}

/** A sentence of Markdown, without a paragraph around it. */
export function sentence(text: string): Html {
  return { html: marked.parseInline(text) as string };
}

/** A value as indented JSON, its keys, texts and other values marked for colouring. */
export function json(value: unknown): Html {
  const coloured = JSON.stringify(value, null, 2).replace(
    JSON_TOKEN,
    (token, text?: string, colon?: string) => {
      if (text === undefined) return `<b>${token}</b>`;
      return colon === ':' ? `<i>${escaped(text)}</i>:` : `<q>${escaped(text)}</q>`;
    },
  );
  return { html: coloured };
}
