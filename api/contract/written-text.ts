// The text of a file that a person wrote, such as settings or a query: UTF-8 or UTF-16, with a byte order
// mark or without. Windows PowerShell writes UTF-16 where the output of a command goes into a file.

/** `undefined` for UTF-8: both bytes of the first character are there. */
function byteOrder([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if ((first === 0xff && second === 0xfe) || (second === 0 && first !== 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be';
  return undefined;
}

/** What is said of a file whose text is in neither, to follow its name. */
export const NOT_WRITTEN_TEXT = 'It is neither UTF-8 nor UTF-16: save it as UTF-8.';

/** The text without its mark; `undefined` where the bytes are in neither. */
export function writtenText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder(byteOrder(bytes) ?? 'utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
