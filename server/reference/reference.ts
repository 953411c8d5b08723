// The readable API reference at /docs: an OpenAPI document -> one page that needs no JavaScript, no other
// file and no other origin. It must not know of the HTTP framework.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { OpenApiDocument } from '@linecard/client/openapi';
import { type Html, html, json, markdown, sentence } from './markup.ts';
import { limitsOf, resolve, type Schema, typeOf } from './schema-words.ts';

type Methods = OpenApiDocument['paths'][string];
type Operation = Methods[keyof Methods];
type ResponseObject = OpenApiDocument['components']['responses'][string];
type Parameter = OpenApiDocument['components']['parameters'][string];

/** The page, and the headers that it must be sent with. */
export interface ReferencePage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const STYLE = readFileSync(new URL('./reference.css', import.meta.url), 'utf8');

const slug = (text: string) => text.toLowerCase().replace(/\W+/g, '-');

function facts(document: OpenApiDocument, schema: Schema, ...more: string[]): Html {
  return html`<span class="type">${[typeOf(document, schema), ...limitsOf(schema), ...more].join(', ')}</span>`;
}

function choices({ enum: values }: Schema): Html | [] {
  if (values === undefined) return [];
  return html`<p class="choices">${values.map((value) => html`<code>${String(value)}</code> `)}</p>`;
}

/** An example as it is typed: `ids=1&ids=2`, or `If-None-Match: "…"`. */
function typed({ name, in: location, example }: Parameter): string {
  if (location === 'header') return `${name}: ${String(example)}`;
  return [example]
    .flat()
    .map((value) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
}

function parameterEntry(document: OpenApiDocument, owner: string, parameter: Parameter): Html {
  const { name, description, schema } = parameter;
  const id = `${owner}.${name}`;
  return html`<div id="${id}">
<dt><a href="#${id}"><code>${name}</code></a> ${facts(document, schema)}</dt>
<dd>${markdown(description)}${choices(schema)}<p class="typed"><code>${typed(parameter)}</code></p></dd>
</div>`;
}

function parameterList(
  document: OpenApiDocument,
  operation: Operation,
  location: Parameter['in'],
): Html | [] {
  const all = operation.parameters.map((item) => resolve<Parameter>(document, item));
  const here = all.filter((parameter) => parameter.in === location);
  if (here.length === 0) return [];
  return html`<h4>${location === 'query' ? 'Query parameters' : 'Request headers'}</h4>
<dl>${here.map((parameter) => parameterEntry(document, operation.operationId, parameter))}</dl>`;
}

/** An object within an object: what a list holds, or what a member is. */
function within(document: OpenApiDocument, member: Schema): Schema | undefined {
  const found = resolve<Schema>(document, member.items ?? member);
  return found.properties === undefined ? undefined : found;
}

/** The members of an object, and below them those of the objects within, each kind once. */
function members(
  document: OpenApiDocument,
  schema: Schema,
  name = 'Answer',
  seen = new Set<Schema>(),
): Html[] {
  const { title, properties = {}, required = [] } = resolve<Schema>(document, schema);
  if (Object.keys(properties).length === 0) return [];
  const entries = Object.entries(properties).map(
    ([key, member]) => html`<div>
<dt><code>${key}</code> ${facts(document, member, ...(required.includes(key) ? [] : ['not always there']))}</dt>
<dd>${sentence(member.description ?? '')}</dd>
</div>`,
  );
  const below = Object.entries(properties).flatMap(([key, member]) => {
    const inner = within(document, member);
    if (inner === undefined || seen.has(inner)) return [];
    seen.add(inner);
    return members(document, inner, member.items === undefined ? `In ${key}` : `Each of ${key}`, seen);
  });
  return [html`<h4>${title ?? name}</h4><dl>${entries}</dl>`, ...below];
}

function answerHeaders(document: OpenApiDocument, answer: ResponseObject): Html {
  const entries = Object.entries(answer.headers).map(([name, item]) => {
    const header = resolve<OpenApiDocument['components']['headers'][string]>(document, item);
    return html`<div><dt><code>${name}</code></dt><dd>${sentence(header.description)}
<p class="typed"><code>${String(header.example)}</code></p></dd></div>`;
  });
  return html`<h4>Answer headers</h4><dl>${entries}</dl>`;
}

/** The examples of an answer, the first one open. */
function examples(answer: ResponseObject, group: string): Html[] {
  const all = Object.values(answer.content ?? {}).flatMap((content) => Object.values(content.examples));
  return all.map(
    ({ summary, value }, i) => html`<details name="${group}"${i === 0 ? html` open` : []}>
<summary>${summary}</summary><pre><code>${typeof value === 'string' ? value : json(value)}</code></pre></details>`,
  );
}

const isError = (status: string) => Number(status) >= 400;

function operationArticle(
  document: OpenApiDocument,
  path: string,
  method: string,
  operation: Operation,
): Html {
  const { operationId: id, summary, description, responses, 'x-codeSamples': samples } = operation;
  const answers = Object.entries(responses).filter(([status]) => !isError(status));
  const errors = Object.keys(responses).filter(isError);
  const bodies = answers
    .map(([, item]) => resolve<ResponseObject>(document, item))
    .filter(({ content }) => content !== undefined);
  const schemas = bodies.flatMap(({ content = {} }) => Object.values(content).map(({ schema }) => schema));
  return html`<article id="${id}">
<div class="words">
<h3><a href="#${id}">${summary}</a></h3>
<p class="path"><b>${method.toUpperCase()}</b> <code>${path}</code></p>
${markdown(description)}
${parameterList(document, operation, 'query')}
${parameterList(document, operation, 'header')}
<h4>Answers</h4>
<dl>${answers.map(([status, item]) => html`<div><dt><code>${status}</code></dt><dd>${sentence(resolve<ResponseObject>(document, item).description)}</dd></div>`)}
<div><dt class="statuses">${errors.map((status) => html`<a href="#error-${status}"><code>${status}</code></a> `)}</dt><dd>A problem, see <a href="#error-answers">error answers</a>.</dd></div></dl>
${schemas.flatMap((schema) => members(document, schema))}
${bodies.map((answer) => answerHeaders(document, answer))}
</div>
<div class="examples">
${samples.map(({ label, source }) => html`<h4>${label}</h4><pre><code>${source}</code></pre>`)}
<h4>Answer</h4>
${bodies.flatMap((answer) => examples(answer, id))}
</div>
</article>`;
}

function operationsOf(
  document: OpenApiDocument,
  tag: string,
): [path: string, method: string, operation: Operation][] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]): [string, string, Operation] => [path, method, operation]),
  );
}

function tagSection(document: OpenApiDocument, { name, description }: OpenApiDocument['tags'][number]): Html {
  return html`<section id="${slug(name)}"><h2>${name}</h2>${markdown(description)}
${operationsOf(document, name).map(([path, method, operation]) => operationArticle(document, path, method, operation))}</section>`;
}

function errorArticle(status: string, answer: ResponseObject): Html {
  return html`<article id="error-${status}"><div class="words"><h3><a href="#error-${status}">${status}</a></h3>
${markdown(answer.description)}</div>
<div class="examples">${examples(answer, `error-${status}`)}</div></article>`;
}

function errorSection(document: OpenApiDocument): Html {
  const answers = Object.entries(document.components.responses);
  const { Problem } = document.components.schemas;
  return html`<section id="error-answers"><h2>Error answers</h2>
<article><div class="words"><h3>What all errors look like</h3>
${Problem === undefined ? [] : members(document, Problem)}</div></article>
${answers.map(([name, answer]) => errorArticle(name.replace(/\D+/, ''), answer))}</section>`;
}

/** The document holds the guide as Markdown; each second-level heading begins a section. */
function guideSections(document: OpenApiDocument): { title: string; text: string }[] {
  const [, ...sections] = `\n${document.info.description}`.split('\n## ');
  return sections.map((section) => {
    const end = section.indexOf('\n');
    return { title: section.slice(0, end), text: section.slice(end + 1) };
  });
}

function navigation(document: OpenApiDocument): Html {
  const link = (id: string, text: string) => html`<li><a href="#${id}">${text}</a></li>`;
  return html`<nav aria-label="Contents">
<h2>Guide</h2><ul>${guideSections(document).map(({ title }) => link(slug(title), title))}</ul>
${document.tags.map(
  ({ name }) => html`<h2>${name}</h2>
<ul>${operationsOf(document, name).map(([, , operation]) => link(operation.operationId, operation.summary))}</ul>`,
)}
<h2>Errors</h2><ul>${link('error-answers', 'Error answers')}</ul>
</nav>`;
}

function page(document: OpenApiDocument): Html {
  const { title, version, summary } = document.info;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} API reference</title>
<link rel="icon" href="data:,">
<style>${{ html: STYLE }}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a class="name" href="#content">${title}</a> <span>API ${version}</span> <a href="/openapi.json">openapi.json</a></header>
<details class="menu"><summary>Contents</summary>${navigation(document)}</details>
<div class="side">${navigation(document)}</div>
<main id="content">
<h1>${title} API</h1>
<p class="lead">${summary}</p>
${guideSections(document).map(({ title: heading, text }) => html`<section id="${slug(heading)}" class="words"><h2><a href="#${slug(heading)}">${heading}</a></h2>${markdown(text)}</section>`)}
${document.tags.map((tag) => tagSection(document, tag))}
${errorSection(document)}
</main>
</body>
</html>
`;
}

/**
 * The reference of a deployment's document, made at the first request. The policy allows its own style, by
 * its hash, and nothing else at all.
 */
export function reference(document: OpenApiDocument): ReferencePage {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  let body: string | undefined;
  return {
    get body() {
      body ??= page(document).html;
      return body;
    },
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    },
  };
}
