// Any character of Unicode but halves of surrogate pairs, as the unit of texts at random. The unit `binary`
// of fast-check is the same, but takes a second to make a table of all.

import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 } as const;
const LAST = 0x10ffff - SURROGATES.count;

export const anyCharacter = fc
  .integer({ min: 0, max: LAST })
  .map((nth) => String.fromCodePoint(nth < SURROGATES.first ? nth : nth + SURROGATES.count));
