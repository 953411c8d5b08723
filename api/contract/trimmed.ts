// White space at the ends of values, which exports and columns of fixed width add: an import drops it, and
// leaves what is inside. It is what JavaScript trims, and characters without a width.

const FIRST_VISIBLE = 0x21;
const FIRST_BEYOND_ASCII = 0x7f;
/** Zero-width space, non-joiner and joiner, word joiner; what JavaScript trims includes U+00A0 and U+FEFF. */
const BLANK = /[\s\u200b-\u200d\u2060]/;

const isBlank = (text: string, at: number) => BLANK.test(text.charAt(at));
const isVisible = (code: number) => code >= FIRST_VISIBLE && code < FIRST_BEYOND_ASCII;

function withoutEnds(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text, start)) start += 1;
  while (end > start && isBlank(text, end - 1)) end -= 1;
  return text.slice(start, end);
}

/** Every value of an import passes here: most begin and end in ASCII, which is all that is looked at. */
export const trimmed = (text: string): string =>
  isVisible(text.charCodeAt(0)) && isVisible(text.charCodeAt(text.length - 1)) ? text : withoutEnds(text);
