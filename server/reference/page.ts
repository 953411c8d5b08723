// The reference at /docs: one HTML page without other origins, which is whole without its script and without
// its font, the only file that it requests.

import { problemPlace } from '@linecard/client/contract/addresses';
import { problems } from '@linecard/client/contract/problems';
import type { OpenApiDocument } from '@linecard/client/openapi';
import type { Section } from '@linecard/client/openapi/guide';
import { operationsOf, type ReferenceDocument } from './document.ts';
import { markdown, sentence } from './markdown.ts';
import { choiceId, type Html, html, slug } from './markup.ts';
import { examples, headerId, members, operationArticle, type ResponseObject } from './operation.ts';

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" width="26" height="26" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0f6b6b"/><g fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"><path d="M8 10.5h9"/><path d="M8 16h16" opacity=".75"/><path d="M8 21.5h12" opacity=".5"/></g><circle cx="22.5" cy="10.5" r="2.2" fill="#7ee0c8"/></svg>`;

/** What is the operator's in place of Linecard's. */
export interface Look {
  readonly style?: string;
  /** The addresses of the logo, and of the one on dark ground if that is another. */
  readonly logos?: readonly string[];
  /** Whether the logo is a name by itself. */
  readonly isWide?: boolean;
  /** The address of a font; without one the page has the reader's. */
  readonly font?: string | undefined;
  readonly supportUrl?: string | undefined;
  /** Whether agents may use the tools. */
  readonly hasAgents?: boolean;
  /** Where the document is, if it is not that of customers, which has a console and other formats. */
  readonly documentAddress?: string;
}

/** The logo with the name, or a logo that is one. */
function nameOf(title: string, { logos: [logo, dark] = [], isWide = false }: Look): Html {
  if (logo === undefined) return html`${{ html: ICON }} ${title}`;
  const source =
    dark === undefined ? [] : html`<source srcset="${dark}" media="(prefers-color-scheme: dark)">`;
  return html`<picture>${source}<img src="${logo}" height="26" alt="${isWide ? title : ''}"></picture> ${isWide ? '' : title}`;
}

function iconOf({ logos: [logo] = [] }: Look): Html {
  return html`<link rel="icon" href="${logo ?? `data:image/svg+xml,${encodeURIComponent(ICON)}`}">`;
}

function tagSection(
  document: ReferenceDocument,
  { name, description }: OpenApiDocument['tags'][number],
): Html {
  const shown = new Map();
  return html`<section id="${slug(name)}"><h2>${name}</h2>${markdown(description)}
${operationsOf(document, name).map((located) => operationArticle(document, located, shown))}</section>`;
}

function errorArticle(status: string, answer: ResponseObject): Html {
  return html`<article id="error-${status}"><div class="words"><h3><a href="#error-${status}">${status}</a></h3>
${markdown(answer.description)}</div>
<div class="examples">${examples(answer, `error-${status}`)}</div></article>`;
}

/** Each problem at a place of its own, to which the `Link` of an error leads. */
function problemList(): Html {
  const entries = Object.entries(problems).map(
    ([code, { status, title, about }]) => html`<div id="${problemPlace(code)}">
<dt><a href="#${problemPlace(code)}"><code>${code}</code></a> <span class="type">${status}, ${title}</span></dt>
<dd>${sentence(about)}</dd></div>`,
  );
  return html`<dl>${entries}</dl>`;
}

function errorSection(document: ReferenceDocument): Html {
  const answers = Object.entries(document.components.responses);
  const { Problem } = document.components.schemas;
  return html`<section id="error-answers"><h2>Error answers</h2>
<article><div class="words"><h3>The format of all errors</h3>
${Problem === undefined ? [] : members(document, Problem)}
<h4>Every problem</h4>${problemList()}</div></article>
${answers.map(([name, answer]) => errorArticle(name.replace(/\D+/, ''), answer))}</section>`;
}

function headerSection(document: ReferenceDocument): Html {
  const entries = Object.entries(document.components.headers).map(
    ([
      name,
      { description, example },
    ]) => html`<div id="${headerId(name)}"><dt><code>${name}</code></dt><dd>${sentence(description)}
<p class="typed"><code>${String(example)}</code></p></dd></div>`,
  );
  return html`<section id="answer-headers" class="words"><h2>Answer headers</h2><dl>${entries}</dl></section>`;
}

function navigation(document: ReferenceDocument, guide: readonly Section[]): Html {
  const link = (id: string, text: string) => html`<li><a href="#${id}">${text}</a></li>`;
  return html`<nav aria-label="Contents">
<h2>Guide</h2><ul>${guide.map(({ title }) => link(slug(title), title))}</ul>
${document.tags.map(
  ({ name }) => html`<h2>${name}</h2>
<ul>${operationsOf(document, name).map(({ operation }) => link(operation.operationId, operation.summary))}</ul>`,
)}
<h2>All answers</h2><ul>${link('answer-headers', 'Answer headers')}${link('error-answers', 'Error answers')}</ul>
</nav>`;
}

function labelsOf(document: ReferenceDocument): string[] {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  return [...new Set(operations.flatMap((one) => one['x-codeSamples'].map(({ label }) => label)))];
}

function languageChoice(labels: readonly string[]): Html {
  return html`<fieldset class="languages"><legend>Examples in</legend>${labels.map(
    (label, i) =>
      html`<input type="radio" name="language" id="${choiceId(label)}" aria-label="${label}"${i === 0 ? html` checked` : []}><label for="${choiceId(label)}">${label}</label>`,
  )}</fieldset>`;
}

/** CSS that shows only the samples in the chosen language; browsers without `:has()` show all. */
export function choiceStyle(document: ReferenceDocument): string {
  const rules = labelsOf(document).map((label) => {
    const chosen = `body:has(#${choiceId(label)}:checked)`;
    return [
      `${chosen} .samples > pre:not(.${choiceId(label)}) { visibility: hidden; }`,
      `${chosen} label[for="${choiceId(label)}"] { border-color: var(--accent); color: var(--accent); }`,
    ].join('\n');
  });
  return rules.join('\n');
}

const serviceLink = (address: string) =>
  html`<link rel="service-desc" type="application/json" href="${address}" title="OpenAPI document">`;

/** The other formats of the reference. */
function alternates({ documentAddress }: Look): Html {
  if (documentAddress !== undefined) return serviceLink(documentAddress);
  return html`<link rel="alternate" type="text/markdown" href="docs.md" title="This reference as Markdown">
<link rel="alternate" type="text/plain" href="llms.txt" title="What a language model reads first">
${serviceLink('openapi.json')}`;
}

function filesOf({ supportUrl, documentAddress }: Look): Html {
  if (documentAddress !== undefined)
    return html`<p class="files"><a href="${documentAddress}">OpenAPI</a></p>`;
  return html`<p class="files"><a href="./">Console</a> ${supportUrl === undefined ? [] : html`<a href="${supportUrl}">Support</a> `}<a href="docs.md">Markdown</a> <a href="openapi.json">OpenAPI</a></p>`;
}

export function page(
  document: ReferenceDocument,
  guide: readonly Section[],
  { style, script }: { readonly style: string; readonly script: string },
  look: Look = {},
): Html {
  const { title, version, summary } = document.info;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} API reference</title>
${iconOf(look)}
${alternates(look)}
${look.font === undefined ? [] : html`<link rel="preload" href="${look.font}" as="font" type="font/woff2" crossorigin>`}
<style>${{ html: style }}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a class="name" href="./">${nameOf(title, look)}</a> <search></search> <span>API ${version}</span>
${languageChoice(labelsOf(document))}
${filesOf(look)}</header>
<details class="menu"><summary>Contents</summary>${navigation(document, guide)}</details>
<div class="side">${navigation(document, guide)}</div>
<main id="content">
<h1>${title} API</h1>
<p class="lead">${summary}</p>
${guide.map(({ title: heading, text }) => html`<section id="${slug(heading)}" class="words"><h2><a href="#${slug(heading)}">${heading}</a></h2>${markdown(text)}</section>`)}
${document.tags.map((tag) => tagSection(document, tag))}
${headerSection(document)}
${errorSection(document)}
</main>
<script type="module">${{ html: script }}</script>
</body>
</html>
`;
}
