// `linecard mcp`: the tools for agents over the Model Context Protocol, on standard input and output.

import { once } from 'node:events';
import { Transform, type Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { Batch, MAX_BATCH_MESSAGES } from '@linecard/client/agent/batch';
import { SERVER_OPTIONS, type Toolbox, toolboxOf, toolHandlers } from '@linecard/client/agent/serve';
import { McpServer, parseJSONRPCMessage, type ServerContext } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { connect } from './connect.ts';
import { explain } from './explain.ts';
import type { GivenOptions } from './options.ts';
import { currentLists } from './own-fields.ts';
import { say } from './print.ts';
import { VERSION } from './version.ts';

const READ_AGAIN_MS = 60_000;

type Id = string | number | null;
/** The batches of requests by their ids, until each is handled. */
type Batches = Map<Id, Batch>;

/** Handles a request of a batch after those before it. */
const inBatch =
  <R, T extends object>(batches: Batches, handle: (request: R, context: ServerContext) => T | Promise<T>) =>
  async (request: R, context: ServerContext): Promise<T> => {
    const { id } = context.mcpReq;
    const batch = batches.get(id) ?? new Batch();
    batches.delete(id);
    return batch.run(() => handle(request, context));
  };

/** The tools by what the operator declared, which is read again once a minute. */
function toolbox(signal: AbortSignal): () => Promise<Toolbox> {
  let latest: Promise<Toolbox> | undefined;
  let readAt = 0;
  return () => {
    if (latest !== undefined && Date.now() - readAt < READ_AGAIN_MS) return latest;
    readAt = Date.now();
    latest = currentLists(signal).then(({ lists }) => toolboxOf(lists));
    return latest;
  };
}

function server(given: GivenOptions, batches: Batches, tools: () => Promise<Toolbox>): McpServer {
  const made = new McpServer({ name: 'linecard', version: VERSION }, SERVER_OPTIONS);
  const { list, call } = toolHandlers({
    // Reads the sign-in at each call, so that `linecard login` takes effect without a restart.
    connect: async () => (await connect(given)).client,
    toolbox: tools,
    explain: (error) => explain(error, (parameter) => parameter).message,
  });
  made.server.setRequestHandler('tools/list', inBatch(batches, list));
  made.server.setRequestHandler('tools/call', inBatch(batches, call));
  return made;
}

function isMessage(value: unknown): boolean {
  try {
    parseJSONRPCMessage(value);
    return true;
  } catch {
    return false;
  }
}

const OF_TOOLS = /^tools\/(?:list|call)$/;
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const MAX_LINE_CHARACTERS = 4_194_304;

const NOT_JSON = { code: PARSE_ERROR, message: 'Parse error: a line of the input is not JSON.' };
const TOO_LONG = { code: PARSE_ERROR, message: 'Parse error: a line of the input is too long.' };
const NO_MESSAGE = {
  code: INVALID_REQUEST,
  message: 'Invalid request: a line of the input is JSON, but not a message of JSON-RPC 2.0.',
};

const TOO_MANY = {
  code: INVALID_REQUEST,
  message: `Invalid request: a batch has at most ${MAX_BATCH_MESSAGES} messages.`,
};

/** The `id` to reject a request with; `null` where it is unusable, or the message is no request. */
function idOf(value: unknown): Id {
  const { id, method } = (value ?? {}) as { id?: unknown; method?: unknown };
  return method !== undefined && (typeof id === 'string' || typeof id === 'number') ? id : null;
}

/** Passes on lines that are messages, those of a batch one by one; answers all others on `output`. */
function messageLines(output: Writable, batches: Batches): Transform {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  /** Within a line that was rejected for its length. */
  let isSkipping = false;
  const refuse = (error: object, id: Id = null) => {
    output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
  };
  const messagesIn = (line: string): unknown[] => {
    try {
      const value: unknown = JSON.parse(line);
      const messages = Array.isArray(value) && value.length > 0 ? value : [value];
      if (messages.length <= MAX_BATCH_MESSAGES) return messages;
      refuse(TOO_MANY);
    } catch {
      refuse(NOT_JSON);
    }
    return [];
  };
  const passed = (line: string): string => {
    const given = isSkipping || line.trim() === '' ? [] : messagesIn(line);
    isSkipping = false;
    const batch = new Batch();
    let messages = '';
    for (const one of given) {
      if (isMessage(one)) messages += `${JSON.stringify(one)}\n`;
      else refuse(NO_MESSAGE, idOf(one));
      if (isMessage(one) && OF_TOOLS.test((one as { method?: string }).method ?? ''))
        batches.set(idOf(one), batch);
    }
    return messages;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() ?? '';
      const text = lines.map(passed).join('');
      if (rest.length > MAX_LINE_CHARACTERS) {
        if (!isSkipping) refuse(TOO_LONG);
        isSkipping = true;
        rest = '';
      }
      done(null, text);
    },
    flush(done) {
      done(null, passed(rest + decoder.end()));
    },
  });
}

export async function serveMcp(given: GivenOptions, signal: AbortSignal): Promise<void> {
  const { stdin, stdout } = process;
  const batches: Batches = new Map();
  const transport = new StdioServerTransport(stdin.pipe(messageLines(stdout, batches)), stdout);
  const tools = toolbox(signal);
  const handle = serveStdio(() => server(given, batches, tools), {
    transport,
    onerror: (error) => say(`linecard: ${error.message}`),
  });
  if (stdin.isTTY) say('linecard mcp waits for an agent on standard input. Ctrl-C ends it.');
  await once(stdin, 'close', { signal }).catch(() => {});
  await handle.close();
}
