// Requests made from our own OpenAPI document, valid and not, by the ten thousand: no 5xx, every answer as
// the document describes it, every invalid request refused. Then bytes on a bare socket that are hardly
// requests.

import { setTimeout } from 'node:timers/promises';
import type { OpenApiDocument } from '../../api/openapi/openapi.ts';
import { resolve } from '../../server/reference/document.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { type Check, checkBy } from '../kit/document-checks.ts';
import { type GeneratedRequest, RequestGenerator } from '../kit/generated-requests.ts';
import { hardRows } from '../kit/hard-rows.ts';
import { atOnce, mutated, type Random } from '../kit/many.ts';
import { openService, type Service, type ServiceAnswer, type StoreKind, stores } from '../kit/service.ts';
import { sendBytes } from '../kit/sockets.ts';
import { atRandom, type Drill, type DrillResult, ofSize, Tally } from './drill.ts';

type Described = OpenApiDocument['components']['responses'][string];
type Report = (line: string) => void;

const REQUESTS = { short: 200, long: 20_000, full: 50_000 } as const;
const RAW_REQUESTS = { short: 50, long: 4_000, full: 10_000 } as const;
const ACCOUNTS = ['customer-3', 'customer-7', 'constructor', 'customer-31'] as const;
const MOST_SHOWN = 10;
const MOST_RETRIES = 5;
const MAX_URL_BYTES = 65_536;
const NDJSON = 'application/x-ndjson';
/** What every answer of an HTTP server has, and `nosniff`, which every one of this has. */
const TRANSPORT = [
  ...['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'],
  'x-content-type-options',
];
/** How an answer to QUERY differs from the one that is described. */
const OF_QUERY: Readonly<Record<number, string>> = { 415: 'Problem415' };

/** What says whether an answer is as the document describes it. */
class AnswerCheck {
  readonly #document: OpenApiDocument;
  readonly #check: Check;

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#check = checkBy(document);
  }

  /** What is wrong with it; nothing where it is as it must be. */
  faults(request: GeneratedRequest, answer: ServiceAnswer, token: string): string[] {
    const { status, headers, body } = answer;
    // A URL that is too long is not read at all.
    const isTooLong = status === 414 && request.url.length > MAX_URL_BYTES;
    if (!request.statuses.includes(status) && !isTooLong)
      return [`${status} rather than ${request.statuses}: ${body.slice(0, 300)}`];
    const faults = status < 400 ? [] : this.#problemFaults(request, answer, token);
    const response = this.#responseOf(request, status);
    if (response === undefined) return faults;
    const { headers: described, content } = response;
    const known = [...TRANSPORT, ...Object.keys(described).map((name) => name.toLowerCase())];
    const strange = Object.keys(headers).filter((name) => !known.includes(name));
    // What a browser is told, and what only some methods get.
    if (strange.length > 0 && request.method === 'GET')
      faults.push(`headers that are not described: ${strange}`);
    if (request.method === 'HEAD' || status === 304) {
      if (body !== '') faults.push('it has a body');
      return faults;
    }
    return [...faults, ...this.#bodyFaults(content, answer)];
  }

  #responseOf({ path, method, fault }: GeneratedRequest, status: number): Described | undefined {
    // A path or a method that is not in the document has no answer there.
    if (status === 405 || fault === 'path' || OF_QUERY[status] !== undefined) return undefined;
    const responses = this.#document.paths[path]?.get.responses;
    const response = responses?.[status] ?? (method === 'QUERY' ? responses?.['400'] : undefined);
    return response && resolve<Described>(this.#document, response);
  }

  #bodyFaults(content: Described['content'], { headers, body, bytes }: ServiceAnswer): string[] {
    const type = (headers['content-type'] ?? '').split(';')[0] ?? '';
    const described = content?.[type];
    if (described === undefined) return [`a body of ${type}, which is not described`];
    if (type === NDJSON || type === 'text/csv') {
      const lines = body.split(type === NDJSON ? '\n' : '\r\n').length - 1;
      const total = Number(headers['x-total-count'] ?? lines) + (type === 'text/csv' ? 1 : 0);
      return body === '' || lines >= total ? [] : [`${lines} lines rather than ${total}`];
    }
    if (!type.endsWith('json')) return bytes[0] === 0x50 && bytes[1] === 0x4b ? [] : ['no workbook'];
    const value: unknown = JSON.parse(body);
    const fault = this.#check(described.schema, value);
    return fault === '' ? [] : [`${fault}: ${body.slice(0, 200)}`];
  }

  #problemFaults(
    { method, statuses, url }: GeneratedRequest,
    answer: ServiceAnswer,
    token: string,
  ): string[] {
    const { headers, body, status } = answer;
    if (method === 'HEAD') return [];
    const problem = JSON.parse(body) as Record<string, unknown>;
    const faults: string[] = [];
    if (problem['status'] !== status || problem['request_id'] !== headers['x-request-id'])
      faults.push(`it does not say its status and id: ${body.slice(0, 200)}`);
    if (!headers['content-type']?.startsWith('application/problem+json'))
      faults.push('it is no problem+json');
    if (body.includes(token)) faults.push('the token is in it');
    if (/\n +at |node_modules|select |SQLITE|pg_/.test(String(problem['detail'])))
      faults.push(`internals: ${body}`);
    if (status === 405 && headers['allow'] === undefined) faults.push('405 without Allow');
    if (status === 401 && headers['www-authenticate'] !== 'Bearer')
      faults.push('401 without WWW-Authenticate');
    if (statuses[0] === 400 && problem['type'] === 'urn:linecard:problem:internal') faults.push(url);
    return faults;
  }
}

async function sendGenerated(
  kind: StoreKind,
  count: number,
  random: Random,
  report: Report,
): Promise<DrillResult> {
  const service = await openService(kind, { rows: hardRows, accounts: ACCOUNTS });
  const counts = new Map<number, number>();
  const tally = new Tally();
  try {
    const text = (await service.send('GET', '/openapi.json')).body;
    const document = JSON.parse(text) as OpenApiDocument;
    const check = new AnswerCheck(document);
    const generator = new RequestGenerator(document, random);
    const ids = [1, 7, 42, ...hardRows.virtual_numbers.slice(0, 200).map(({ id }) => id)];
    // The accounts below one are listed for such a token alone.
    const limits = { reach: 'tree' } as const;
    const made = ACCOUNTS.map((account) =>
      createToken(service.operator, account, 'drill', undefined, limits),
    );
    const tokens = (await Promise.all(made)).map((one) => String(one?.token));
    const requests = Array.from({ length: count }, (_, i) => {
      const token = tokens[i % tokens.length] as string;
      return { token, ...generator.next(token, ids) };
    });
    await atOnce(
      requests,
      async (request) => {
        const { method, url, headers, body, token } = request;
        const send = () => service.send(method, url, { ...headers }, body);
        let answer = await send();
        // An account has a few files at a time; a 429 is answered by asking again.
        for (let i = 0; i < MOST_RETRIES && answer.status === 429; i++) {
          await setTimeout(Number(answer.headers['retry-after']) * 1_000);
          answer = await send();
        }
        counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
        const faults = check.faults(request, answer, token);
        const what = `${method} ${url.slice(0, 200)} (${request.fault ?? 'valid'}): ${faults.join('; ')}`;
        if (faults.length > 0 && tally.wrong < MOST_SHOWN) report(what);
        tally.add(faults.length === 0 ? undefined : what);
      },
      4,
    );
  } finally {
    await service.close();
  }
  const statuses = [...counts].toSorted(([a], [b]) => a - b).map(([status, n]) => `${n} of ${status}`);
  const did = `requests made from the OpenAPI document, on ${kind.name}`;
  report(`${did}: ${statuses.join(', ')}`);
  return tally.result(did);
}

/** What means something to a reader of requests. */
const PIECES = ['\r', '\n', '\r\n\r\n', '\0', ' ', '\t', ':', '%', 'Host: y\r\n', 'Content-Length: 5\r\n'];

async function sendRaw(
  service: Service,
  count: number,
  random: Random,
  report: Report,
): Promise<DrillResult> {
  const port = await service.listen();
  const { token } = service.tokenOf(ACCOUNTS[0]);
  const body = '{"page_size":1}';
  const head = (line: string) => `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n`;
  const whole = [
    `${head('GET /api/v1/did/me?page_size=2&q=a')}Accept: application/json\r\nConnection: close\r\n\r\n`,
    `${head('QUERY /api/v1/did/me')}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    `${head('QUERY /api/v1/did/me')}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nf\r\n${body}\r\n0\r\n\r\n`,
    `${head('GET /api/v1/account')}\r\n${head('HEAD /healthz')}Connection: close\r\n\r\n`,
  ].map((text) => Buffer.from(text, 'latin1'));
  const tally = new Tally();
  const requests = Array.from({ length: count }, (_, i) =>
    mutated(whole[i % whole.length] as Buffer, random, PIECES),
  );
  await atOnce(
    requests,
    async (bytes) => {
      const text = await sendBytes(port, bytes);
      const statuses = [...text.matchAll(/(?:^|\r\n|\})HTTP\/1\.1 (\d{3}) /g)].map(([, status]) =>
        Number(status),
      );
      const isWell = statuses.every((status) => status < 500 || status === 501 || status === 505);
      const isGood = isWell && (text === '' || statuses.length > 0);
      const what = `${JSON.stringify(bytes.toString('latin1'))}: ${JSON.stringify(text.slice(0, 300))}`;
      if (!isGood && tally.wrong < MOST_SHOWN) report(what);
      tally.add(isGood ? undefined : what);
    },
    16,
  );
  const last = await sendBytes(port, whole[0] as Buffer);
  tally.add(last.startsWith('HTTP/1.1 200 ') ? undefined : `after all of them: ${last.slice(0, 200)}`);
  return tally.result('requests with changed bytes, on a bare socket');
}

export const drill: Drill = {
  name: 'openapi-requests',
  proves: [
    'No request made from the OpenAPI document gets a 5xx, and every invalid one is refused with its status.',
    'Every answer has the headers, media type and schema of the document.',
    "No error reveals a token or the program's internals.",
    'Bytes that are hardly a request get a 4xx or no answer, and the service continues.',
  ],
  run: (size, report) =>
    atRandom(size, report, async (random) => {
      const results: DrillResult[] = [];
      const shares = stores.reduce((sum, { share }) => sum + share, 0);
      for (const kind of stores) {
        const count = Math.round((ofSize(REQUESTS, size) * kind.share) / shares);
        results.push(await sendGenerated(kind, count, random, report));
      }
      const [kind] = stores as readonly [StoreKind];
      const service = await openService(kind, { rows: hardRows, accounts: ACCOUNTS });
      try {
        return [...results, await sendRaw(service, ofSize(RAW_REQUESTS, size), random, report)];
      } finally {
        await service.close();
      }
    }),
};
