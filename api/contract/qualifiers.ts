// What the words of a name say in addition to its subject: "not", "none", "contains", a bound, a direction. A
// name is never a suggestion for one that says the opposite, or more.

import type { ChargeTest, TimeTest } from './list.ts';

const split = (text: string) => new Set(text.split(' '));

const NEGATIVE = split(
  'not non nor without exclude excludes excluded excluding exclusion excl xor but except excepting ne neq nin notin isnt nt never omit minus other unlike hide disable disabled off',
);
/** "Is there one?", and ways of comparing that a list of values is not. */
const OTHER_TESTS = split(
  'null isnull notnull none nil empty blank missing unset undefined exists exist present has have like ilike contains contain startswith starts endswith ends prefix suffix match matches regex regexp between range',
);
const DIRECTIONS = split('asc ascending desc descending reverse reversed');
const BOUNDS: Readonly<Record<TimeTest, string>> = {
  after: 'after gt above over later',
  from: 'from gte ge since min minimum start starting begin beginning',
  before: 'before lt below under earlier',
  to: 'to lte le until till upto max maximum end ending through thru',
};
const CHARGE_SIDES: readonly string[] = ['min', 'max'] satisfies ChargeTest[];
/** The first word of a name that asks whether there is one. */
const SET = 'has';
const SIDES = Object.keys(BOUNDS) as TimeTest[];
const SIDE_OF = new Map(
  SIDES.flatMap((side) => BOUNDS[side].split(' ').map((word) => [word, side] as const)),
);

/** `!`, `<>` and `≠`; a `-` in front of a name or after it. */
const NEGATIVE_MARK = /[!≠¬]|<>|^\s*[-~^]|[-~^]\s*$/u;
const PREFIX = /^(?:without|exclude|except|non|not|no|un|in|dis|de|anti)(?=.{3})/;
const SUFFIX = /(?<=.{3})(?:isnot|not|neq|ne|nin|no|excluded?)$/;
const SHORTEST = 3;
/** Letters that a slip changes. */
const SLIP = 1;

/** Characters to insert, delete, replace or transpose. */
export function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}

/** `pageSize`, `page-size`, `page[size]` -> page, size; `activated>` -> activated, from. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/>=?\s*$/, '_from')
    .replace(/<=?\s*$/, '_to')
    .replace(/([\p{Ll}\p{N}])(?=\p{Lu})/gu, '$1_')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

export const hasNegativeMark = (name: string) => NEGATIVE_MARK.test(name);

/** The side that a word names, also with a slip in it; `to` is too short to guess. */
function sideOf(word: string): TimeTest | undefined {
  const said = SIDE_OF.get(word);
  if (said !== undefined || word.length < SHORTEST) return said;
  const near = SIDES.filter((side) => side.length > SHORTEST && distance(word, side) <= SLIP);
  return near.length === 1 ? near[0] : undefined;
}

/** Whether a word is the negative of another: `inactive`, `activenot`. */
function negates(word: string, others: readonly string[]): boolean {
  const rests = [word.replace(PREFIX, ''), word.replace(SUFFIX, '')].filter((rest) => rest !== word);
  return rests.some((rest) =>
    others.some((other) => {
      const far = distance(rest, other);
      const isPart = Math.min(rest.length, other.length) >= SHORTEST && other.startsWith(rest);
      return far <= distance(word, other) && (isPart || far <= (rest.length + 1) / SHORTEST);
    }),
  );
}

/** What words say that changes the answer, such as `not` or `desc`. */
function qualifies(word: string, place: number, { length }: readonly string[]): boolean {
  if (NEGATIVE.has(word)) return true;
  if (length < 2) return false;
  return (
    word === 'n' ||
    (word === 'no' && place === 0) ||
    OTHER_TESTS.has(word) ||
    DIRECTIONS.has(word) ||
    SIDE_OF.has(word)
  );
}

function isOpposed(typed: readonly string[], known: readonly string[]): boolean {
  const own = typed.filter((word) => !known.includes(word));
  const others = known.filter((word) => !typed.includes(word));
  // Most names have one of these, and the rest takes long.
  if (others.some((word) => NEGATIVE.has(word) || word === SET)) return true;
  return (
    own.some((word) => qualifies(word, typed.indexOf(word), typed) || negates(word, known)) ||
    negates(typed.join(''), [known.join('')]) ||
    others.some((word) => negates(word, typed))
  );
}

/** A bound with its subject: `min_activated`, `activated_since` -> from, activated. */
export function boundOf(words: readonly string[]): readonly [side: TimeTest | undefined, subject: string[]] {
  const last = sideOf(words.at(-1) ?? '');
  if (words.length < 2) return [undefined, [...words]];
  if (last !== undefined) return [last, words.slice(0, -1)];
  const first = SIDE_OF.get(words[0] ?? '');
  return first === undefined ? [undefined, [...words]] : [first, words.slice(1)];
}

/** What a name says of its subject, which is left. */
export interface Said {
  readonly subject: readonly string[];
  /** It excludes its values: `not_X`, `X!`, `-X`. */
  readonly isNegated: boolean;
  /** It asks whether there is none: `X_is_null`. */
  readonly isEmpty: boolean;
  /** It asks whether there is one: `has_X`, `X_exists`. */
  readonly isSet: boolean;
}

const EXCLUDE = 'exclude';
const NOTHING = split('null isnull none nil empty blank missing unset undefined');
const SOMETHING = split('notnull exist exists present has have set');
/** Words that change nothing next to those. */
const FILLERS = split('is are all any if');

export function saidBy(name: string): Said {
  const words = wordsOf(name).filter((word, i) => !(i === 0 && word === 'filter'));
  const isNo = (word: string, place: number) =>
    NEGATIVE.has(word) ||
    distance(word, EXCLUDE) <= SLIP ||
    (word === 'no' && (place === 0 || words[place - 1] === SET)) ||
    (word === 'n' && place === words.length - 1);
  const count = (has: (word: string, place: number) => boolean) => words.filter(has).length;
  const negatives = count(isNo) + Number(hasNegativeMark(name));
  const nothing = count((word) => NOTHING.has(word));
  const something = count((word) => SOMETHING.has(word));
  const isSaid = (word: string, place: number) =>
    isNo(word, place) || NOTHING.has(word) || SOMETHING.has(word);
  const said = negatives + nothing + something > 0;
  const subject = words.filter((word, place) => !isSaid(word, place) && !(said && FILLERS.has(word)));
  const isOdd = (negatives + nothing) % 2 === 1;
  return {
    subject: subject.length === 0 ? words : subject,
    isNegated: negatives === 1 && nothing + something === 0,
    isEmpty: (nothing > 0 || something > 0) && isOdd,
    isSet: (nothing > 0 || something > 0) && !isOdd,
  };
}

/**
 * The parts of an unknown and a known name that may differ by a slip; `undefined` where the known one says
 * something else: not "not", another bound, or a bound at all.
 */
export function comparable(
  typed: readonly string[],
  known: readonly string[],
): readonly [typed: string, known: string] | undefined {
  const last = known.at(-1) ?? '';
  // A bound of a charge is suggested for its own word alone: what others mean is in tried-names.ts.
  if (CHARGE_SIDES.some((side) => side === last) && typed.at(-1) !== last) return undefined;
  if (known.length < 2 || !SIDES.some((side) => side === last))
    return isOpposed(typed, known) ? undefined : [typed.join('_'), known.join('_')];
  const [side, subject] = boundOf(typed);
  const stem = known.slice(0, -1);
  return side !== last || isOpposed(subject, stem) ? undefined : [subject.join('_'), stem.join('_')];
}
