// The outline of a JSON text, from its characters alone: which members its object has, how many values each,
// how deep it is, and which of its numbers `JSON.parse` would make another of. What is far too large for a
// query is so refused before it is parsed, and `9007199254740993` before it is rounded.

export interface JsonLimits {
  readonly members: number;
  /** Of one member, at any depth. */
  readonly values: number;
  /** Of all members. */
  readonly allValues: number;
  /** 1 is the object itself. */
  readonly depth: number;
}

/** What a JSON text goes beyond first: with the member, as it stands in the text, where it is one. */
export type Excess =
  | { readonly over: 'members' | 'allValues' | 'depth' }
  | { readonly over: 'values'; readonly member: string };

export interface JsonOutline {
  /** The names of the members as they stand in the text, quoted and escaped, repeated ones too. */
  readonly members: readonly string[];
  /** By member, and by the place in its list: numbers as written of which `JSON.parse` makes others. */
  readonly written?: ReadonlyMap<string, ReadonlyMap<number, string>>;
  readonly excess?: Excess;
}

/** Of numbers, flags and white space, all that stands together. */
const NO_STRUCTURE = /[^"{}[\],:]+/y;
const TOKENS_A_VALUE = 3;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const [OPEN_BRACKET, CLOSE_BRACKET] = [0x5b, 0x5d];
const [OPEN_BRACE, CLOSE_BRACE] = [0x7b, 0x7d];

/** Of fewer digits, with neither point nor exponent, every number survives. */
const MAY_DIFFER = /^-?(?:\d{16}|\d+[.eE])/;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** The digits of an integer with nothing but zeros behind the point. */
const WHOLE = /^(-?\d+)\.0+$/;
/** No integer needs as many; what is longer is not taken apart. */
const MAX_CHARACTERS = 100;
const ZERO = 0x30;

/** One spelling for every decimal: its digits without zeros around them, and where the point stands. */
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
 * What stands between the signs of a JSON text, as it is written, where it is a number and JavaScript makes
 * another of it; also where that is no integer up to 2^53 - 1, and JavaScript would spell it otherwise.
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

/** The end of a JSON string that begins at a quote: behind the quote that closes it. */
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

/** Notes what stands between the signs of a text, where that is a number that has to be known as written. */
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

/**
 * The outline of a text that should be JSON; of any other it ends somewhere. It stops at the first excess.
 */
export function outlineOf(text: string, limits: JsonLimits): JsonOutline {
  const members: string[] = [];
  const written = new Map<string, Map<number, string>>();
  const beyond = (over: 'members' | 'allValues' | 'depth'): JsonOutline => ({ members, excess: { over } });
  let depth = 0;
  let values = 0;
  let tokens = 0;
  let name = '';
  for (let at = 0; at < text.length && depth >= 0; at++) {
    // Of a valid text with so many values there are no more: a text, a comma and perhaps a bracket to each.
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
