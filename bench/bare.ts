// The yardstick: the least that a service on `node:http` and `node:sqlite` can do for a first page. It looks
// up the token and the page with two statements, sends the headers of the contract, and logs a line; it has
// no framework, router, query parser, limits, guards or timeouts. `node bench/bare.ts PORT DATABASE HEADERS
// [cached]`, where HEADERS is a JSON file with the headers of such an answer. With `cached`, answers are
// cached in a Map and `If-None-Match` is supported.

import { hash, randomUUID } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { etagOf } from '../server/answers/answer.ts';
import { PATH } from './jobs.ts';

const STDERR = 2;
const BUFFER_BYTES = 65_536;
const CACHE_KIB = 65_536;
const PAGE_SIZE = 10;
const OF_A_BODY = ['content-type', 'link'];

interface Answer {
  readonly account: string;
  readonly etag: string;
  readonly body: string;
}

const [port, file = '', headersFile = '', cached] = process.argv.slice(2);
const database = new DatabaseSync(file, { readOnly: true, returnArrays: true });
// One snapshot for the whole run.
database.exec(`attach '${file}-tokens' as tokens; pragma cache_size = -${CACHE_KIB}; begin`);
const findCaller = database.prepare(
  `select accounts.id, revision, virtual_numbers from tokens.tokens join accounts on accounts.id = account_id
   where hash = ? and revoked_at is null and disabled_at is null`,
);
const findItems = database.prepare(
  'select item from virtual_numbers where account_id = ? order by id limit ?',
);
const headers = JSON.parse(readFileSync(headersFile, 'utf8')) as Record<string, string>;
const unchanged = Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_A_BODY.includes(name)));
const answers = new Map<string, Answer>();
const lines = Buffer.alloc(BUFFER_BYTES);
let used = 0;

/** `undefined` if the token is unknown. */
function read(token: string): Answer | undefined {
  const [caller] = findCaller.all(hash('sha256', token)) as unknown as [string, string, number][];
  if (caller === undefined) return undefined;
  const [account, revision, total] = caller;
  const items = findItems.all(account, PAGE_SIZE) as unknown as [string][];
  const data = items.map(([item]) => item).join(',');
  const pages = Math.ceil(total / PAGE_SIZE);
  const body = `{"data":[${data}],"page":1,"page_size":${PAGE_SIZE},"total":${total},"total_pages":${pages}}`;
  return { account, etag: etagOf(revision, ''), body };
}

function answerTo(token: string): Answer | undefined {
  if (cached === undefined) return read(token);
  const found = answers.get(token) ?? read(token);
  if (found !== undefined) answers.set(token, found);
  return found;
}

function log(line: string): void {
  if (used + line.length > BUFFER_BYTES) {
    writeSync(STDERR, lines, 0, used);
    used = 0;
  }
  used += lines.write(line, used, 'latin1');
}

createServer(({ headers: sent }, response) => {
  const begin = performance.now();
  const request_id = randomUUID();
  const found = answerTo(sent.authorization ?? '');
  if (found === undefined) return void response.writeHead(401).end();
  const { account, etag, body } = found;
  const own = { 'x-request-id': request_id, etag };
  if (cached !== undefined && sent['if-none-match'] === etag) {
    response.writeHead(304, { ...unchanged, ...own }).end();
  } else {
    response.writeHead(200, { ...headers, ...own, 'content-length': Buffer.byteLength(body) }).end(body);
  }
  log(
    `{"level":30,"time":${Date.now()},"request_id":"${request_id}","account_id":"${account}","method":"GET","route":"${PATH}"` +
      `,"status":${response.statusCode},"milliseconds":${performance.now() - begin}}\n`,
  );
}).listen(Number(port), '127.0.0.1');
