// The lines that an agent sends, before the protocol reads them: what is no message is answered as JSON-RPC
// 2.0 has it (section 5.1), where the protocol's own reader leaves the agent without an answer; and no line
// grows without end.

import { Transform, type Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const MAX_LINE_CHARACTERS = 4_194_304;

const NOT_JSON = { code: PARSE_ERROR, message: 'Parse error: a line of the input is not JSON.' };
const TOO_LONG = { code: PARSE_ERROR, message: 'Parse error: a line of the input is too long.' };
const NO_MESSAGE = {
  code: INVALID_REQUEST,
  message: 'Invalid request: a line of the input is JSON, but not a message of JSON-RPC 2.0.',
};

/** The `id` to refuse a request by; `null` where there is none that can be used, or it is no request. */
function idOf(value: unknown): string | number | null {
  const { id, method } = (value ?? {}) as { id?: unknown; method?: unknown };
  return method !== undefined && (typeof id === 'string' || typeof id === 'number') ? id : null;
}

/** Passes on the lines that are messages, those of a batch one by one; answers all others on `output`. */
export function messageLines(output: Writable, isMessage: (value: unknown) => boolean): Transform {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  /** Within a line that was refused for its length. */
  let isSkipping = false;
  const refuse = (error: object, id: string | number | null = null) => {
    output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
  };
  const messagesIn = (line: string): unknown[] => {
    try {
      const value: unknown = JSON.parse(line);
      return Array.isArray(value) && value.length > 0 ? value : [value];
    } catch {
      refuse(NOT_JSON);
      return [];
    }
  };
  const passed = (line: string): string => {
    const given = isSkipping || line.trim() === '' ? [] : messagesIn(line);
    isSkipping = false;
    let messages = '';
    for (const one of given) {
      if (isMessage(one)) messages += `${JSON.stringify(one)}\n`;
      else refuse(NO_MESSAGE, idOf(one));
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
