// "Did you mean …?": the known name nearest to a mistyped one, and the option that an argument lacks.

import { comparable, distance, hasNegativeMark, wordsOf } from './qualifiers.ts';

/** The largest distance of a name: about a third of its length. */
const TOLERANCE = 3;
const LONGEST = 64;

/**
 * The nearest known name: within a third of its letters, or where one is the beginning or end of the other
 * (`country` for `country_codes`, `status` for `statuses`). Case does not matter, nor what separates words.
 * Never one that says the opposite (`not_statuses`), or another bound (`activated_until`, `activated_after`).
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST || hasNegativeMark(name)) return undefined;
  const words = wordsOf(name);
  if (words.length === 0) return undefined;
  const pairs = known.flatMap((candidate) => {
    const pair = comparable(words, wordsOf(candidate));
    return pair === undefined ? [] : [{ candidate, typed: pair[0], other: pair[1] }];
  });
  let [best, least]: [string[], number] = [[], Number.POSITIVE_INFINITY];
  for (const { candidate, typed, other } of pairs) {
    const most = Math.floor((typed.length + 1) / TOLERANCE);
    if (Math.abs(other.length - typed.length) > most) continue;
    const d = distance(typed, other);
    if (d > most || d > least) continue;
    best = d < least ? [candidate] : [...best, candidate];
    least = d;
  }
  // Of `asc` and `desc`, `dsc` means the one with its first letter, and `esc` could mean either.
  const [initial = ''] = words.join('');
  if (best.length > 1) return best.find((one) => one.startsWith(initial));
  return best[0] ?? pairs.find(({ typed, other }) => isPart(typed, other))?.candidate;
}

/** Whether one is the beginning or end of the other: `freq`, but of several words most of them. */
function isPart(typed: string, other: string): boolean {
  if (Math.min(typed.length, other.length) < TOLERANCE) return false;
  const isMost = typed.length * 2 >= other.length || !typed.includes('_');
  return (isMost && (other.startsWith(typed) || other.endsWith(typed))) || typed.startsWith(other);
}

/** An option with its value, as it is typed. */
const VALUED = /(?<!\S)(--[a-z][\w-]*) (?:"[^"]*"|'[^']*'|[^\s-]\S*)/g;

/**
 * For an argument that a command does not take: that values have options, with the first option that the
 * examples of the command give a value, else its first. `undefined` where it has none.
 * @param options those that take a value: `--file <path>`.
 */
export function valueAdvice(examples: readonly string[], options: readonly string[]): string | undefined {
  const names = options.map((option) => option.split(' ')[0]);
  const shown = examples.flatMap((example) => Array.from(example.matchAll(VALUED)));
  const [example = options[0]] = shown.find(([, name]) => names.includes(name)) ?? [];
  return example && `A value follows its option, such as ${example}.`;
}
