// Names and numbers in sentences, for documentation, help and messages.

/** `a, b and c` */
export function listed(names: readonly string[], lastWord = 'and'): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${lastWord} ${names.at(-1)}`;
}

/** `` `a`, `b` and `c` `` */
export function named(names: readonly string[], lastWord = 'and'): string {
  return listed(
    names.map((name) => `\`${name}\``),
    lastWord,
  );
}

/** `1,000`. Not by locale, because loading one costs a command 10 ms. */
export function count(number: number): string {
  const digits = String(number);
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return groups.join(',');
}

/** `virtual number` -> `VirtualNumber` */
export const inPascalCase = (words: string): string =>
  words.replace(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase());

/** What the items of a list are called among schemas and types: `VirtualNumber`. */
export const itemName = ({ one }: { readonly one: string }): string => inPascalCase(one);
