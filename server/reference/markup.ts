// HTML for the reference: escaping templates, code samples, coloured JSON.

export interface Html {
  readonly html: string;
}

export interface Sample {
  readonly label: string;
  readonly source: string;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const JSON_TOKEN = /("(?:\\.|[^"\\])*")(:?)|\b(?:true|false|null)\b|-?\d[\d.e+-]*/g;

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] as string);
}

/** Escapes interpolated texts and numbers; interpolated `Html` is inserted unchanged. */
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

export const slug = (text: string) => text.toLowerCase().replace(/\W+/g, '-');

export const choiceId = (label: string) => `in-${slug(label)}`;

/** Code in several languages; CSS shows the one selected for the page. */
export function codeTabs(samples: readonly Sample[]): Html {
  const [only] = samples;
  if (samples.length === 1 && only !== undefined) return html`<pre><code>${only.source}</code></pre>`;
  // The labels repeat the choice at the top of the page for pointer users; screen readers skip them.
  return html`<div class="samples"><p class="tabs" aria-hidden="true">${samples.map(({ label }) => html`<label for="${choiceId(label)}">${label}</label>`)}</p>
${samples.map(({ label, source }) => html`<pre class="${choiceId(label)}"><code>${source}</code></pre>`)}</div>`;
}

/** Indented JSON, with keys, strings and other values marked up for syntax highlighting. */
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
