// Wraps text at words to the width of a line.

import measured from 'fast-string-truncated-width';

const COMMAND = /^\s*\$ /;
const INDENT = /^ */;
/** The indent of continuation lines. */
const HANGING = '  ';
/** The end of a line in a command that continues. */
const GOES_ON = ' \\';
/** Quoted arguments are not broken. */
const WORDS = /(?:"[^"]*"|\S)+/g;

export const widthOf = (text: string) => measured(text).width;

function wrappedLine(line: string, width: number): string {
  if (widthOf(line) <= width) return line;
  const end = COMMAND.test(line) ? GOES_ON : '';
  const [indent = ''] = INDENT.exec(line) ?? [];
  const lines: string[] = [];
  let current = indent;
  for (const word of line.match(WORDS) ?? []) {
    const isFirst = current.trim() === '' || current.endsWith('$');
    const longer = current.trim() === '' ? current + word : `${current} ${word}`;
    if (isFirst || widthOf(longer + end) <= width) current = longer;
    else {
      lines.push(current + end);
      current = indent + HANGING + word;
    }
  }
  return [...lines, current].join('\n');
}

/** Without a width, text stays as it is. */
export function wrapped(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  return text
    .split('\n')
    .map((line) => wrappedLine(line, width))
    .join('\n');
}
