// "Did you mean …?": the known name nearest to a mistyped one, and the option that an argument lacks.

/** The largest distance of a name: about a third of its length. */
const TOLERANCE = 3;
const LONGEST = 64;

/** Characters to insert, delete, replace or transpose. */
function distance(a: string, b: string): number {
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

/**
 * The nearest known name: within a third of its letters, or where one is the beginning or end of the other
 * (`country` for `country_codes`, `status` for `statuses`). Case does not matter, nor `-` for `_`.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined;
  const typed = name.toLowerCase().replaceAll('-', '_').trim();
  if (typed === '') return undefined;
  let best: string | undefined;
  let bestDistance = Math.floor((typed.length + 1) / TOLERANCE) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - typed.length) >= bestDistance) continue;
    const d = distance(typed, candidate);
    if (d < bestDistance) [best, bestDistance] = [candidate, d];
  }
  if (best !== undefined || typed.length < TOLERANCE) return best;
  return known.find(
    (candidate) => candidate.startsWith(typed) || candidate.endsWith(typed) || typed.startsWith(candidate),
  );
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
