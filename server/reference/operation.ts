// An operation as an article: description on the left, examples on the right. Parameters that an earlier
// operation of the same tag documents are shown as links.

import type { OpenApiDocument } from '@linecard/client/openapi';
import {
  completed,
  type Located,
  limitsOf,
  type Operation,
  type ReferenceDocument,
  type RequestBody,
  resolve,
  type Schema,
  typeOf,
} from './document.ts';
import { markdown, sentence } from './markdown.ts';
import { codeTabs, type Html, html, json } from './markup.ts';

export type ResponseObject = OpenApiDocument['components']['responses'][string];
type Parameter = OpenApiDocument['components']['parameters'][string];

/** The operation that documents a parameter, by its JSON, or a schema. */
export type Shown = Map<string | Schema, Operation>;

function facts(document: ReferenceDocument, schema: Schema, ...more: string[]): Html {
  return html`<span class="type">${[typeOf(document, schema), ...limitsOf(completed(document, schema)), ...more].join(', ')}</span>`;
}

function choices({ enum: values }: Schema): Html | [] {
  if (values === undefined) return [];
  return html`<p class="choices">${values.map((value) => html`<code>${String(value)}</code> `)}</p>`;
}

/** `ids=1&ids=2`, or `If-None-Match: "…"` */
function typed({ name, in: location, example }: Parameter): string {
  if (location === 'header') return `${name}: ${String(example)}`;
  return [example]
    .flat()
    .map((value) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
}

function parameterEntry(document: ReferenceDocument, owner: string, parameter: Parameter): Html {
  const { name, description, schema } = parameter;
  const id = `${owner}.${name}`;
  return html`<div id="${id}">
<dt><a href="#${id}"><code>${name}</code></a> ${facts(document, schema)}</dt>
<dd>${markdown(description)}${choices(completed(document, schema))}<p class="typed"><code>${typed(parameter)}</code></p></dd>
</div>`;
}

const operationLink = ({ operationId, summary }: Operation) => html`<a href="#${operationId}">${summary}</a>`;

/** Documents new parameters and links those that an earlier operation documents. */
function parameterList(
  document: ReferenceDocument,
  operation: Operation,
  location: Parameter['in'],
  shown: Shown,
): Html | [] {
  const here = operation.parameters
    .map((item) => resolve<Parameter>(document, item))
    .filter((parameter) => parameter.in === location);
  if (here.length === 0) return [];
  const owners = Map.groupBy(here, (parameter) => shown.get(JSON.stringify(parameter)));
  const fresh = owners.get(undefined) ?? [];
  for (const parameter of fresh) shown.set(JSON.stringify(parameter), operation);
  return html`<h4>${location === 'query' ? 'Query parameters' : 'Request headers'}</h4>
${[...owners].flatMap(([owner, known]) => (owner === undefined ? [] : html`<p class="as">As for ${operationLink(owner)}: ${known.map(({ name }) => html`<a href="#${owner.operationId}.${name}"><code>${name}</code></a> `)}</p>`))}
${fresh.length === 0 ? [] : html`<dl>${fresh.map((parameter) => parameterEntry(document, operation.operationId, parameter))}</dl>`}`;
}

/** Documents the members of an object and then those of nested objects, each schema once. */
export function members(
  document: ReferenceDocument,
  schema: Schema,
  operation?: Operation,
  shown: Shown = new Map(),
  name = 'Answer',
): Html[] {
  const object = resolve<Schema>(document, schema);
  const { title, properties = {}, required = [] } = object;
  if (Object.keys(properties).length === 0) return [];
  const owner = shown.get(object);
  if (owner !== undefined)
    return [html`<h4>${title ?? name}</h4><p class="as">As for ${operationLink(owner)}.</p>`];
  if (operation !== undefined) shown.set(object, operation);
  const entries = Object.entries(properties).map(
    ([key, member]) => html`<div>
<dt><code>${key}</code> ${facts(document, member, ...(required.includes(key) ? [] : ['not always there']))}</dt>
<dd>${sentence(member.description ?? '')}</dd>
</div>`,
  );
  const nested = Object.entries(properties).flatMap(([key, member]) => {
    const inner = resolve<Schema>(document, member.items ?? member);
    if (inner.properties === undefined || shown.get(inner) === operation) return [];
    return members(
      document,
      inner,
      operation,
      shown,
      member.items === undefined ? `In ${key}` : `Each of ${key}`,
    );
  });
  return [html`<h4>${title ?? name}</h4><dl>${entries}</dl>`, ...nested];
}

export function examples(answer: ResponseObject, group: string): Html[] {
  const all = Object.values(answer.content ?? {}).flatMap((content) => Object.values(content.examples));
  return all.map(
    ({ summary, value }, i) => html`<details name="${group}"${i === 0 ? html` open` : []}>
<summary>${summary}</summary><pre><code>${typeof value === 'string' ? value : json(value)}</code></pre></details>`,
  );
}

const isError = (status: string) => Number(status) >= 400;

export const headerId = (name: string) => `header-${name.toLowerCase()}`;

function answerHeaders(answers: readonly ResponseObject[]): Html | [] {
  const names = new Set(answers.flatMap(({ headers }) => Object.keys(headers)));
  if (names.size === 0) return [];
  return html`<h4>Answer headers</h4><p class="as">${[...names].map((name) => html`<a href="#${headerId(name)}"><code>${name}</code></a> `)}</p>`;
}

/** What a request sends; rows of an import are described by their columns. */
function bodyMembers(document: ReferenceDocument, { content }: RequestBody): Html[] {
  return Object.entries(content).flatMap(([type, { schema }]) =>
    type === 'application/json'
      ? members(document, schema, undefined, new Map(), 'Body')
      : [html`<h4>Body</h4><p><code>${type}</code>: ${sentence(schema.description ?? '')}</p>`],
  );
}

export function operationArticle(
  document: ReferenceDocument,
  { path, method, operation }: Located,
  shown: Shown,
): Html {
  const {
    operationId: id,
    summary,
    description,
    responses,
    requestBody,
    'x-codeSamples': samples,
  } = operation;
  const answers = Object.entries(responses)
    .filter(([status]) => !isError(status))
    .map(([status, item]) => ({ status, answer: resolve<ResponseObject>(document, item) }));
  const errors = Object.keys(responses).filter(isError);
  const bodies = answers.map(({ answer }) => answer).filter(({ content }) => content !== undefined);
  const schemas = bodies.flatMap(({ content = {} }) => Object.values(content).map(({ schema }) => schema));
  return html`<article id="${id}">
<div class="words">
<h3><a href="#${id}">${summary}</a></h3>
<p class="path"><b>${method.toUpperCase()}</b> <code>${path}</code></p>
${markdown(description)}
${parameterList(document, operation, 'query', shown)}
${parameterList(document, operation, 'header', shown)}
${requestBody === undefined ? [] : bodyMembers(document, requestBody)}
<h4>Answers</h4>
<dl>${answers.map(({ status, answer }) => html`<div><dt><code>${status}</code></dt><dd>${sentence(answer.description)}</dd></div>`)}
<div><dt class="statuses">${errors.map((status) => html`<a href="#error-${status}"><code>${status}</code></a> `)}</dt><dd>A problem, see <a href="#error-answers">error answers</a>.</dd></div></dl>
${schemas.flatMap((schema) => members(document, schema, operation, shown))}
${answerHeaders(bodies)}
</div>
<div class="examples">
<h4>Request</h4>
${codeTabs(samples)}
<h4>Answer</h4>
${bodies.flatMap((answer) => examples(answer, id))}
</div>
</article>`;
}
