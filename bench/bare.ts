// The yardstick: the least that a service on `node:http` and `node:sqlite` can do for a first page that keeps
// the contract. It looks up the token and the page with two statements of one snapshot, as the database is
// now, counts the request against the token's limit, seals the links of the page, sends the headers of the
// contract, and logs a line; it has no framework, router, query parser, guards or timeouts.
// `node bench/bare.ts PORT DATABASE HEADERS [cached]`, where HEADERS is a JSON file with the headers of such
// an answer. With `cached`, answers are cached in a Map until the database changes, and `If-None-Match` is
// supported.

import { hash, randomUUID } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { etagOf } from '../server/answers/answer.ts';
import { writeToken } from '../server/lists/change-token.ts';
import { writeCursor } from '../server/lists/cursor.ts';
import { readingAt } from '../server/lists/reading.ts';
import { hasExpired } from '../server/store/access/token-scopes.ts';
import { PATH } from './jobs.ts';

const STDERR = 2;
const BUFFER_BYTES = 65_536;
const CACHE_KIB = 65_536;
const PAGE_SIZE = 10;
const RATE_LIMIT = 1_000_000_000;
const WINDOW_MILLISECONDS = 60_000;
/** Within which a token that was revoked is refused. */
const TOKENS_MILLISECONDS = 100;
const OF_A_BODY = ['content-type'];
const WHOLE = { list: 'virtual_numbers', selection: '' } as const;

interface Caller {
  readonly account: string;
  readonly revision: string;
  readonly total: number;
  readonly sequence: number;
}

interface Answer {
  readonly account: string;
  readonly expires_at: string | null;
  readonly etag: string;
  readonly link: string;
  readonly body: string;
}

const [port, file = '', headersFile = '', cached] = process.argv.slice(2);
const database = new DatabaseSync(file, { readOnly: true, returnArrays: true });
database.exec(`attach '${file}-tokens' as tokens; pragma cache_size = -${CACHE_KIB}`);
const begin = database.prepare('begin');
const commit = database.prepare('commit');
const listsVersion = database.prepare('pragma main.data_version');
const tokensVersion = database.prepare('pragma tokens.data_version');
const findCaller = database.prepare(
  `select accounts.id, revision, virtual_numbers, sequence, expires_at
   from tokens.tokens join accounts on accounts.id = account_id
   where hash = ? and revoked_at is null and suspended_at is null and disabled_at is null`,
);
const findItems = database.prepare(
  'select item, id from virtual_numbers where account_id = ? order by id limit ?',
);
const [[cursorKey]] = database
  .prepare("select value from deployment where name = 'cursor_key'")
  .all() as unknown as [[string]];
const headers = JSON.parse(readFileSync(headersFile, 'utf8')) as Record<string, string>;
const unchanged = Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_A_BODY.includes(name)));
const answers = new Map<string, Answer>();
const minutes = new Map<string, { began: number; count: number }>();
let isBegun = false;
let [lists, tokens, tokensUntil] = [0, 0, 0];
const lines = Buffer.alloc(BUFFER_BYTES);
let used = 0;

const versionOf = (statement: typeof listsVersion) => (statement.all() as unknown as [[number]])[0][0];

/** Requests of one iteration of the event loop share a snapshot; answers are cached for one state of it. */
function beginSnapshot(now: number): void {
  if (isBegun) return;
  isBegun = true;
  begin.run();
  setImmediate(() => {
    isBegun = false;
    commit.run();
  });
  if (cached === undefined) return;
  const before = lists + tokens;
  lists = versionOf(listsVersion);
  if (now >= tokensUntil) [tokens, tokensUntil] = [versionOf(tokensVersion), now + TOKENS_MILLISECONDS];
  if (lists + tokens !== before) answers.clear();
}

function linkOf({ account, revision, total, sequence }: Caller, last: number | undefined): string {
  const scope = { account_id: account, ...WHOLE };
  const reading = readingAt({ revision, sequence }, sequence);
  const at = { page: 2, id: Number(last), key: null, reading };
  const isLast = total <= PAGE_SIZE;
  const next = isLast ? '' : writeCursor(cursorKey, { ...scope, page_size: PAGE_SIZE }, at);
  return (
    `<${PATH}?page=1&page_size=${PAGE_SIZE}>; rel="first", ` +
    (isLast ? '' : `<${PATH}?cursor=${next}&page_size=${PAGE_SIZE}>; rel="next", `) +
    `<${PATH}?page=${Math.ceil(total / PAGE_SIZE)}&page_size=${PAGE_SIZE}>; rel="last", ` +
    `<${PATH}/changes?since=${writeToken(cursorKey, scope, reading)}>; rel="monitor"`
  );
}

/** `undefined` if the token is unknown. */
function read(token: string): Answer | undefined {
  const [row] = findCaller.all(hash('sha256', token)) as unknown as [
    string,
    string,
    number,
    number,
    string | null,
  ][];
  if (row === undefined) return undefined;
  const [account, revision, total, sequence, expires_at] = row;
  const items = findItems.all(account, PAGE_SIZE) as unknown as [string, number][];
  const data = items.map(([item]) => item).join(',');
  const pages = Math.ceil(total / PAGE_SIZE);
  const body = `{"data":[${data}],"page":1,"page_size":${PAGE_SIZE},"total":${total},"total_pages":${pages}}`;
  const link = linkOf({ account, revision, total, sequence }, items.at(-1)?.[1]);
  return { account, expires_at, etag: etagOf(revision, ''), link, body };
}

function answerTo(token: string): Answer | undefined {
  if (cached === undefined) return read(token);
  const found = answers.get(token) ?? read(token);
  if (found !== undefined) answers.set(token, found);
  return found;
}

/** The header `RateLimit`; `undefined` if the token has too many requests. */
function countRequest(token: string, now: number): string | undefined {
  let minute = minutes.get(token);
  if (minute === undefined || now - minute.began >= WINDOW_MILLISECONDS) {
    minute = { began: now, count: 0 };
    minutes.set(token, minute);
  }
  minute.count += 1;
  const seconds = Math.ceil((WINDOW_MILLISECONDS - (now - minute.began)) / 1_000);
  return minute.count > RATE_LIMIT ? undefined : `"default";r=${RATE_LIMIT - minute.count};t=${seconds}`;
}

function log(line: string): void {
  if (used + line.length > BUFFER_BYTES) {
    writeSync(STDERR, lines, 0, used);
    used = 0;
  }
  used += lines.write(line, used, 'latin1');
}

createServer(({ headers: sent }, response) => {
  const now = performance.now();
  const request_id = randomUUID();
  const { authorization = '' } = sent;
  beginSnapshot(now);
  const found = answerTo(authorization);
  if (found === undefined || hasExpired(found)) return void response.writeHead(401).end();
  const ratelimit = countRequest(authorization, now);
  if (ratelimit === undefined) return void response.writeHead(429).end();
  const { account, etag, link, body } = found;
  const own = { 'x-request-id': request_id, ratelimit, etag };
  if (cached !== undefined && sent['if-none-match'] === etag) {
    response.writeHead(304, { ...unchanged, ...own }).end();
  } else {
    response
      .writeHead(200, { ...headers, ...own, link, 'content-length': Buffer.byteLength(body) })
      .end(body);
  }
  log(
    `{"level":30,"time":${Date.now()},"request_id":"${request_id}","account_id":"${account}","method":"GET","route":"${PATH}"` +
      `,"status":${response.statusCode},"milliseconds":${performance.now() - now}}\n`,
  );
}).listen(Number(port), '127.0.0.1');
