// The outline of a JSON text, read without parsing it: its members, the number of their values, its depth,
// and numbers that `JSON.parse` would change. Rejects a query that is too large before it is parsed, and
// shows `9007199254740993` as it was sent.

export interface JsonLimits {
  readonly members: number;
  /** Of one member, at any depth. */
  readonly values: number;
  /** Of all members. */
  readonly allValues: number;
  /** 1 is the object itself. */
  readonly depth: number;
}

/** The first limit that a text exceeds, with the member as written. */
export type Excess =
  | { readonly over: 'members' | 'allValues' | 'depth' }
  | { readonly over: 'values'; readonly member: string };

export interface JsonOutline {
  /** As written: quoted, escaped, with repetitions. */
  readonly members: readonly string[];
  /** Numbers that `JSON.parse` would change, as written, by member and index. */
  readonly written?: ReadonlyMap<string, ReadonlyMap<number, string>>;
  readonly excess?: Excess;
}

/** Numbers, literals and white space in one step. */
const NO_STRUCTURE = /[^"{}[\],:]+/y;
const TOKENS_A_VALUE = 3;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const [OPEN_BRACKET, CLOSE_BRACKET] = [0x5b, 0x5d];
const [OPEN_BRACE, CLOSE_BRACE] = [0x7b, 0x7d];

/** Shorter integers always survive. */
const MAY_DIFFER = /^-?(?:\d{16}|\d+[.eE])/;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** An integer with only zeros after the point. */
const WHOLE = /^(-?\d+)\.0+$/;
/** No integer needs more; longer texts are not analysed. */
const MAX_CHARACTERS = 100;
const ZERO = 0x30;

/** A canonical spelling of a decimal: its significant digits and the position of the point. */
function plainDecimal(text: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = whole + fraction;
  let first = 0;
  let end = digits.length;
  while (first < end && digits.charCodeAt(first) === ZERO) first += 1;
  while (end > first && digits.charCodeAt(end - 1) === ZERO) end -= 1;
  if (first === end) return '0';
  return `${sign}${digits.slice(first, end)}e${Number(exponent) + whole.length - first}`;
}

/**
 * A number as written where JavaScript would change its value, or where it is not a safe integer and
 * JavaScript spells it differently.
 */
export function numberAsWritten(text: string): string | undefined {
  const source = text.trim();
  if (!MAY_DIFFER.test(source)) return undefined;
  const value = Number(source);
  const spelled = String(value);
  if (source === spelled) return undefined;
  if (!Number.isSafeInteger(value) || source.length > MAX_CHARACTERS) return source;
  if (WHOLE.exec(source)?.[1] === spelled) return undefined;
  return plainDecimal(source) === plainDecimal(spelled) ? undefined : source;
}

/** The index after the closing quote of a JSON string. */
export function endOfString(text: string, start: number): number {
  const quote = text.indexOf('"', start + 1);
  if (quote < 0) return text.length;
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote + 1;
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at + 1;
  }
  return text.length;
}

function noteNumber(
  written: Map<string, Map<number, string>>,
  member: string,
  place: number,
  text: string,
): void {
  const number = numberAsWritten(text);
  if (number === undefined) return;
  const numbers = written.get(member) ?? new Map<number, string>();
  written.set(member, numbers.set(place, number));
}

/** Which limit a text exceeds, as it reads after what it is; `undefined` if none. */
export function excessOf(text: string, limits: JsonLimits): string | undefined {
  const over = outlineOf(text, limits).excess?.over;
  if (over === undefined) return undefined;
  if (over === 'depth') return `is nested deeper than ${limits.depth} levels`;
  return `has more than ${limits[over]} ${over === 'members' ? 'members' : 'values'}`;
}

/** Works on any text, and stops at the first limit exceeded. */
export function outlineOf(text: string, limits: JsonLimits): JsonOutline {
  const members: string[] = [];
  const written = new Map<string, Map<number, string>>();
  const beyond = (over: 'members' | 'allValues' | 'depth'): JsonOutline => ({ members, excess: { over } });
  let depth = 0;
  let values = 0;
  let tokens = 0;
  let name = '';
  for (let at = 0; at < text.length && depth >= 0; at++) {
    // Valid JSON has at most a value, a comma and a bracket for each value.
    if (tokens > TOKENS_A_VALUE * limits.allValues) return beyond('allValues');
    tokens += 1;
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfString(text, at);
        if (depth === 1) name = text.slice(at, end);
        at = end - 1;
        break;
      }
      case COLON:
        if (depth !== 1) break;
        members.push(name);
        values = 0;
        if (members.length > limits.members) return beyond('members');
        break;
      case COMMA:
        if (depth < 2) break;
        values += 1;
        if (values >= limits.values) return { members, excess: { over: 'values', member: name } };
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        depth += 1;
        if (depth > limits.depth) return beyond('depth');
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth -= 1;
        break;
      default:
        NO_STRUCTURE.lastIndex = at;
        NO_STRUCTURE.test(text);
        noteNumber(written, name, values, text.slice(at, NO_STRUCTURE.lastIndex));
        at = NO_STRUCTURE.lastIndex - 1;
    }
  }
  return written.size === 0 ? { members } : { members, written };
}
