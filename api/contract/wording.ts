// Names and numbers in a sentence, as documentation, help and messages write them.

/** Names as code in a sentence: `` `a`, `b` and `c` ``. */
export function named(names: readonly string[], lastWord = 'and'): string {
  const quoted = names.map((name) => `\`${name}\``);
  return quoted.length < 2
    ? quoted.join('')
    : `${quoted.slice(0, -1).join(', ')} ${lastWord} ${quoted.at(-1)}`;
}

/** Between two digits, with a multiple of three behind it. */
const THOUSANDS = /\B(?=(?:\d{3})+$)/g;

/** A whole number as people read it: `1,000`. Not by locale: loading one costs a command ten milliseconds. */
export function count(number: number): string {
  return String(number).replace(THOUSANDS, ',');
}
