// Makes text safe for a terminal: no text of a customer or server moves the cursor, rings the bell or changes
// the direction of a line. Files and pipes get the data unchanged.

/** Control characters, line separators and direction overrides. */
const UNSAFE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;
const UNSAFE_BUT_LINE_ENDS = /\r(?!\n)|(?![\r\n])[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;
/** Colours of this program, or an unsafe character. */
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

/** A text of one line. */
export function visible(text: string): string {
  return text.replace(UNSAFE, picture);
}

/** Lines of text, such as CSV; line breaks stay. */
export function visibleLines(text: string): string {
  return text.replace(UNSAFE_BUT_LINE_ENDS, picture);
}

/** Text with colours of this program, which stay. */
export function visibleColours(text: string): string {
  return text.replace(
    COLOURS_AND_UNSAFE,
    (character, colour: string | undefined) => colour ?? picture(character),
  );
}

/** JSON text; unsafe characters become escapes, which mean the same. */
export function visibleJson(text: string): string {
  return text.replace(
    UNSAFE_BUT_LINE_ENDS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
