// Requests made from the OpenAPI document: valid ones, and each way to get one wrong, with what either must
// be answered. It knows the document, and nothing of how Linecard reads a request.

import type { OpenApiDocument } from '../../api/openapi/openapi.ts';
import { completed, resolve } from '../../server/reference/document.ts';
import {
  LARGEST,
  NOT_CHARGES,
  NOT_CODES,
  NOT_FLAGS,
  NOT_INTEGERS,
  NOT_NUMBERS,
  NOT_PARAMETERS,
  NOT_TEXTS,
  NOT_TIMESTAMPS,
} from './hard-queries.ts';
import { HARD_CHARGES, HARD_NUMBERS, HARD_TEXTS } from './hard-rows.ts';
import { below, oneOf, type Random } from './many.ts';
import type { Method } from './service.ts';

type Parameter = OpenApiDocument['components']['parameters'][string];
type Schema = OpenApiDocument['components']['schemas'][string];

/** A request, and what it must be answered. */
export interface GeneratedRequest {
  readonly method: Method;
  /** As the document has it. */
  readonly path: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What is wrong with it; `undefined` where nothing is. */
  readonly fault?: string;
  readonly statuses: readonly number[];
}

/** Those that have a digit to compare, and no more than a telephone number. */
const NUMBERS = HARD_NUMBERS.filter((text) => /[1-9]/.test(text) && text.replaceAll(/\D/g, '').length < 16);
const OTHER_METHODS: readonly Method[] = ['POST', 'PUT', 'PATCH', 'DELETE'];
// biome-ignore format: a table
const TIMES = [
  '2026-01-01T00:00:00Z', '2026-11-20T23:59:59.1234567Z', '1996-12-19T16:39:57.5-08:00', '2024-02-29', '2026-11-20',
];
// biome-ignore format: a table
const NO_TOKENS = [
  undefined, '', 'Bearer', 'Basic dTpw', 'lc_nobody', `Bearer lc_${'a'.repeat(42)}`,
  'lco_0123456789012345678901234567890123456789', 'Bearer \u00ff',
];
const NO_MEDIA = ['image/png', 'text/html', 'application/json;q=0', 'application/*;q=0', 'x/y, text/xml'];
const MAX_BODY_BYTES = 1_048_576;

const isText = ({ type }: Schema) => type === 'string';
const isTime = ({ pattern = '' }: Schema) => pattern.includes('\\d{4}-');
const isNumbers = (name: string) => /^dids?_?/.test(name);
const isCode = ({ pattern = '' }: Schema) => pattern.startsWith('^(?:A[');

export class RequestGenerator {
  readonly #document: OpenApiDocument;
  readonly #random: Random;
  readonly #paths: readonly string[];
  /** Every name of a parameter that some path takes. */
  readonly #names: ReadonlySet<string>;

  constructor(document: OpenApiDocument, random: Random) {
    this.#document = document;
    this.#random = random;
    const paths = Object.keys(document.paths);
    const isFile = (path: string) => /\.(?:csv|ndjson|xlsx)$/.test(path);
    // Files cost most, and take no parameter of their own.
    const others = paths.filter((path) => !isFile(path));
    this.#paths = [...paths, ...others, ...others];
    this.#names = new Set(paths.flatMap((path) => this.#parameters(path).map(({ name }) => name)));
  }

  /** The next request, with the token of an account. */
  next(token: string, ids: readonly number[]): GeneratedRequest {
    const path = this.#one(this.#paths);
    const isValid = this.#random() < 0.5;
    const { security } = this.#document.paths[path]?.get ?? {};
    const isOpen = security?.length === 0;
    const headers: Record<string, string> = isOpen ? {} : { authorization: this.#authorization(token) };
    if (this.#random() < 0.1)
      headers['x-request-id'] = this.#one(['a-b', '\u00e9', 'x'.repeat(300), '1 2', '']);
    if (this.#random() < 0.1)
      headers['if-none-match'] = this.#one(['*', '"x"', 'W/"x"', 'x', '"0.1.0-57", "y"']);
    const hasAny = headers['if-none-match'] === '*';
    const good = { path, headers, statuses: [200, ...(hasAny ? [304] : [])] };
    const isBody = !isOpen && this.#random() < 0.15 && this.#takesBody(path);
    const chosen = this.#chosen(path);
    if (isBody) return this.#withBody(good, chosen, isValid);
    const pairs = chosen.flatMap((one) => this.#pairs(one));
    const request = { ...good, method: this.#random() < 0.05 ? ('HEAD' as const) : ('GET' as const) };
    const id = String(
      this.#random() < 0.8 ? this.#one(ids) : this.#integer({ minimum: 1, maximum: Number(LARGEST) }),
    );
    const url = (more: readonly string[] = []) =>
      `${path.replace('{id}', id)}${pairs.length + more.length === 0 ? '' : `?${this.#shuffled([...pairs, ...more]).join('&')}`}`;
    const statuses = path.includes('{id}') ? [...good.statuses, 404] : good.statuses;
    if (isValid) return { ...request, statuses, url: url() };
    return this.#wrong(request, isOpen, url, chosen);
  }

  #wrong(
    request: Omit<GeneratedRequest, 'url'>,
    isOpen: boolean,
    url: (more?: readonly string[]) => string,
    chosen: readonly Parameter[],
  ): GeneratedRequest {
    const { path, headers } = request;
    const wrong = (fault: string, statuses: readonly number[], changed: Partial<GeneratedRequest>) => ({
      ...request,
      url: url(),
      ...changed,
      fault,
      statuses,
    });
    // A slash too many leads to a page that there is.
    const elsewhere = ['/api', '/api/v2/did/me', '/x', `${path}/x/y`, '/api/v1/did', '//', '/%'];
    const others: (() => GeneratedRequest)[] = [
      () => wrong('method', [405], { method: this.#one(OTHER_METHODS) }),
      () => wrong('path', [308, 400, 404], { url: this.#one(elsewhere) }),
    ];
    if (!isOpen) {
      others.push(() => {
        const { authorization: _, ...rest } = headers;
        const token = this.#one(NO_TOKENS);
        const sent = token === undefined ? rest : { ...rest, authorization: token };
        return wrong(`token ${token}`, [401], { headers: sent });
      });
      if (!/\.(?:csv|ndjson|xlsx)$/.test(path))
        others.push(() =>
          wrong('media type', [406], { headers: { ...headers, accept: this.#one(NO_MEDIA) } }),
        );
    }
    if (path.includes('{id}')) {
      const ids = ['0', '-1', '1.0', 'x', '1e3', '%2B1', `${LARGEST}0`, '01'];
      others.push(() => wrong('id', [404], { url: path.replace('{id}', this.#one(ids)) }));
    }
    // What only watches the service is sent all kinds of parameters by balancers, and takes no notice.
    if (isOpen || this.#random() < 0.3) return this.#one(others)();
    const fault = this.#fault(path, chosen);
    return wrong(fault.join('&'), [400], { url: url(fault) });
  }

  /** Pairs that spoil a query. */
  #fault(path: string, chosen: readonly Parameter[]): string[] {
    const known = this.#parameters(path).filter((one) => one.in === 'query');
    const names = new Set(known.map(({ name }) => name));
    const foreign = [...this.#names].filter(
      (name) => !names.has(name) && name !== 'id' && !/[A-Z]/.test(name),
    );
    const kinds: (() => string[])[] = [
      () => [`${this.#one(NOT_PARAMETERS)}=${this.#one(['', '1', 'asc'])}`],
      () => (foreign.length === 0 ? [`no_such=1`] : [`${this.#one(foreign)}=1`]),
    ];
    if (known.length > 0) {
      kinds.push(() => this.#wrongValue(this.#one(known)));
      kinds.push(() => this.#wrongValue(this.#one(known)));
      const singles = known.filter(
        ({ schema }) => schema.type !== 'array' && !chosen.some(({ name }) => name === 'q'),
      );
      if (singles.length > 0)
        kinds.push(() => {
          const one = this.#one(singles);
          return [...this.#pairs(one), ...this.#pairs(one)];
        });
    }
    return this.#one(kinds)();
  }

  #wrongValue({ name, schema }: Parameter): string[] {
    const one = schema.type === 'array' ? (schema.items as Schema) : schema;
    const values: string[] = [];
    if (one.type === 'integer')
      values.push(...NOT_INTEGERS, ...(one.maximum === undefined ? [] : [`${one.maximum + 1}`]));
    else if (one.type === 'boolean') values.push(...NOT_FLAGS);
    else if (one.type === 'number') values.push(...NOT_CHARGES);
    else if (one.enum !== undefined) values.push('__proto__', 'toString', 'NOTHING', 'id%00', '-id');
    else if (isTime(one)) values.push(...NOT_TIMESTAMPS);
    else if (isCode(one)) values.push(...NOT_CODES);
    // The end of a range may have more digits than a telephone number.
    else if (isNumbers(name))
      values.push(...NOT_NUMBERS.filter((one) => !/^did_/.test(name) || !/^\d{16,}$/.test(one)));
    else values.push(...NOT_TEXTS);
    if (name === 'cursor' || name === 'since') values.push('eyJhZnRlciI6NDgxNTF9', 'x', 'x'.repeat(33_000));
    if (one.maxLength !== undefined) values.push('x'.repeat(one.maxLength + 1));
    if (schema.maxItems !== undefined && this.#random() < 0.05)
      return Array.from({ length: schema.maxItems + 1 }, () => `${name}=${this.#value(name, one)}`);
    return [`${name}=${this.#one(values)}`];
  }

  /** The query as the body of a QUERY. */
  #withBody(
    request: Pick<GeneratedRequest, 'path' | 'headers' | 'statuses'>,
    chosen: readonly Parameter[],
    isValid: boolean,
  ): GeneratedRequest {
    const headers = { ...request.headers, 'content-type': 'application/json' };
    const whole = { ...request, headers, method: 'QUERY' as const, url: request.path };
    const members = Object.fromEntries(chosen.map((one) => [one.name, this.#member(one)]));
    const body = JSON.stringify(members);
    if (isValid) return { ...whole, body };
    const wrong = (fault: string, text: string, statuses = [400], type = 'application/json') => ({
      ...whole,
      headers: { ...headers, 'content-type': type },
      body: text,
      fault: `body: ${fault}`,
      statuses,
    });
    const unknown = JSON.stringify({ ...members, [this.#one(['no_such', 'constructor', 'account_id'])]: 1 });
    // What else a body may be is in api/contract/query-parser.test.ts.
    return this.#one([
      () => wrong('cut', body.slice(0, -1)),
      () => wrong('an array', `[${body}]`),
      () => wrong('an unknown name', unknown),
      () => wrong('a control character', JSON.stringify({ ...members, q: 'a\u0000b' })),
      () => wrong('depth', `{"q":${'['.repeat(300)}${']'.repeat(300)}}`),
      () =>
        wrong('another type', body, [415], this.#one(['text/plain', 'application/xml', 'application/jsonx'])),
      () => wrong('its length', JSON.stringify({ q: 'x'.repeat(MAX_BODY_BYTES) }), [413]),
    ])();
  }

  #member({ name, schema }: Parameter): unknown {
    const one = schema.type === 'array' ? (schema.items as Schema) : schema;
    const value = () => {
      const text = decodeURIComponent(this.#value(name, one));
      return one.type === 'integer' || one.type === 'number'
        ? Number(text)
        : one.type === 'boolean'
          ? text === 'true'
          : text;
    };
    return schema.type === 'array' ? Array.from({ length: 1 + this.#below(3) }, value) : value();
  }

  #takesBody(path: string): boolean {
    const names = this.#parameters(path).map(({ name }) => name);
    return names.includes('ids') && names.includes('q');
  }

  #parameters(path: string): Parameter[] {
    const { parameters = [] } = this.#document.paths[path]?.get ?? {};
    const complete = (schema: Schema): Schema => {
      const { items, ...own } = completed(this.#document, schema);
      return items === undefined ? own : { ...own, items: complete(items) };
    };
    return parameters
      .map((item) => resolve<Parameter>(this.#document, item))
      .map((item) => ({ ...item, schema: complete(item.schema) }));
  }

  /** Some parameters of a path, of which the opaque ones are taken from answers alone. */
  #chosen(path: string): Parameter[] {
    // In activity, ids are of one list, which another parameter names.
    const left = ['cursor', 'since', ...(path.endsWith('/activity') ? ['ids'] : [])];
    const known = this.#parameters(path).filter(
      ({ name, in: place }) => place === 'query' && !left.includes(name),
    );
    return this.#shuffled(known).slice(0, this.#below(5));
  }

  /** A parameter as a query spells it, a list in every way. */
  #pairs({ name, schema }: Parameter): string[] {
    if (schema.type !== 'array') return [`${name}=${this.#value(name, schema)}`];
    const values = Array.from({ length: 1 + this.#below(3) }, () =>
      this.#value(name, schema.items as Schema),
    );
    return this.#one([
      () => values.map((value) => `${name}=${value}`),
      () => values.map((value) => `${name}[]=${value}`),
      () => values.map((value, i) => `${name}[${i}]=${value}`),
      () => [`${name}=${values.join(this.#one([',', '%2C']))}`],
    ])();
  }

  /** A valid value, percent-encoded. */
  #value(name: string, schema: Schema): string {
    const { type, enum: values, maxLength, examples } = schema;
    if (values !== undefined) return String(this.#one(values as readonly string[]));
    if (type === 'integer') return String(this.#integer(schema));
    if (type === 'boolean') return this.#one(['true', 'false']);
    if (type === 'number') return this.#one(HARD_CHARGES);
    if (isTime(schema)) return encodeURIComponent(this.#one(TIMES));
    if (isCode(schema)) return this.#one(['GB', 'DE', 'AQ', 'US']);
    if (isNumbers(name)) return encodeURIComponent(this.#one(NUMBERS));
    if (!isText(schema)) throw new Error(`There are no values for ${name}.`);
    const texts = [...HARD_TEXTS, ...((examples ?? []) as string[]), 'a', '%', '_', "'", '\\', '*', '"'];
    const fits = texts.filter((text) => text !== '' && new RegExp(schema.pattern ?? '', 'u').test(text));
    return encodeURIComponent(Array.from(this.#one(fits)).slice(0, maxLength).join(''));
  }

  #integer({ minimum = 1, maximum = Number(LARGEST) }: Schema): number {
    const random = minimum + this.#below(Math.min(maximum, 10_000) - minimum + 1);
    return this.#one([minimum, maximum, random, random, Math.min(maximum, minimum + this.#below(20))]);
  }

  #authorization(token: string): string {
    return this.#one([token, `Bearer ${token}`, `bearer ${token}`]);
  }

  #below(end: number): number {
    return below(this.#random, end);
  }

  #one<T>(values: readonly T[]): T {
    return oneOf(this.#random, values);
  }

  #shuffled<T>(values: readonly T[]): T[] {
    return values
      .map((value) => [this.#random(), value] as const)
      .toSorted(([a], [b]) => a - b)
      .map(([, value]) => value);
  }
}
