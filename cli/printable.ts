// What may be shown on a terminal: data is text, and no text of a customer or a server moves the cursor,
// rings the bell or turns the line around. Files and pipes get the data as it is.

/** Controls, separators of lines, and marks that override the direction of what follows. */
const UNSAFE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;
const UNSAFE_BUT_LINE_ENDS = /\r(?!\n)|(?![\r\n])[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;
/** The colours that this program itself sets, and any unsafe character. */
const COLOURS_AND_UNSAFE = new RegExp(
  `(\\u001b\\[(?:1|2|22|31|39)m)|${UNSAFE_BUT_LINE_ENDS.source}`,
  UNSAFE_BUT_LINE_ENDS.flags,
);
/** U+2400 to U+241F are pictures of the control characters. */
const PICTURES = 0x2400;
const DELETE = 0x7f;
const DELETE_PICTURE = '␡';
const LAST_WITH_PICTURE = 0x1f;
const REPLACEMENT = '\ufffd';

function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code === DELETE) return DELETE_PICTURE;
  return code <= LAST_WITH_PICTURE ? String.fromCharCode(PICTURES + code) : REPLACEMENT;
}

/** A text of one line: each unsafe character becomes one that can be seen. */
export function visible(text: string): string {
  return text.replace(UNSAFE, picture);
}

/** Lines of text, such as CSV: as `visible`, but lines stay lines. */
export function visibleLines(text: string): string {
  return text.replace(UNSAFE_BUT_LINE_ENDS, picture);
}

/** The same for text that carries colours: those of this program stay. */
export function visibleColours(text: string): string {
  return text.replace(
    COLOURS_AND_UNSAFE,
    (character, colour: string | undefined) => colour ?? picture(character),
  );
}

/** JSON text that means the same: what JSON lets stand raw is written as an escape. */
export function visibleJson(text: string): string {
  return text.replace(
    UNSAFE_BUT_LINE_ENDS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
