// The lines that an agent sends, before the protocol reads them: what is no JSON is answered as JSON-RPC 2.0
// has it (section 5.1), and no line grows without end.

import { Transform, type Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

const PARSE_ERROR = -32_700;
const MAX_LINE_CHARACTERS = 4_194_304;

function parseError(why: string): string {
  const error = { code: PARSE_ERROR, message: `Parse error: ${why}` };
  return `${JSON.stringify({ jsonrpc: '2.0', id: null, error })}\n`;
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** Passes on the lines that are JSON; answers all others on `output`. */
export function jsonLines(output: Writable): Transform {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  /** Within a line that was refused for its length. */
  let isSkipping = false;
  const passed = (line: string): string => {
    if (isSkipping) isSkipping = false;
    else if (isJson(line)) return `${line}\n`;
    else if (line.trim() !== '') output.write(parseError('a line of the input is not JSON.'));
    return '';
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() ?? '';
      const text = lines.map(passed).join('');
      if (rest.length > MAX_LINE_CHARACTERS) {
        if (!isSkipping) output.write(parseError('a line of the input is too long.'));
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
