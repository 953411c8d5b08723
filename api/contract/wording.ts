// Names and numbers in a sentence, as documentation, help and messages write them.

/** Names in a sentence: `a, b and c`. */
export function listed(names: readonly string[], lastWord = 'and'): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${lastWord} ${names.at(-1)}`;
}

/** Names as code in a sentence: `` `a`, `b` and `c` ``. */
export function named(names: readonly string[], lastWord = 'and'): string {
  return listed(
    names.map((name) => `\`${name}\``),
    lastWord,
  );
}

/** How many of something, as people read it: `1,000`. Not by locale: loading one costs a command 10 ms. */
export function count(number: number): string {
  const digits = String(number);
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return groups.join(',');
}
