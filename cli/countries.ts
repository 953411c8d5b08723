// Country codes with their names, for completion: ISO 3166-1 alpha-2, as the platform knows them.

const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
/** Codes that the platform names and ISO 3166-1 does not assign: reserved ones, groups, private use. */
const NOT_ASSIGNED = /^(?:AA|AC|CP|CQ|DG|EA|EU|EZ|IC|Q[M-Z]|TA|UN|X.|ZZ)$/;

/** Each code with the country's name in English. */
export function countries(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  return new Map(
    codes.flatMap((code): [string, string][] => {
      const name = NOT_ASSIGNED.test(code) ? undefined : names.of(code);
      // A code that was withdrawn stands for another one.
      const isCurrent = Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`;
      return name === undefined || !isCurrent ? [] : [[code, name]];
    }),
  );
}
