// Text that fits its line: broken at words, never within one.

import measured from 'fast-string-truncated-width';

const COMMAND = /^\s*\$ /;
const INDENT = /^ */;
/** How much further the rest of a line stands in. */
const HANGING = '  ';
/** The rest of a command follows: the shell reads both lines as one. */
const GOES_ON = ' \\';
/** Arguments in quotes stay whole. */
const WORDS = /(?:"[^"]*"|\S)+/g;

const widthOf = (text: string) => measured(text).width;

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

/** Lines broken at words where they are wider than that; as they are where there is no width. */
export function wrapped(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  return text
    .split('\n')
    .map((line) => wrappedLine(line, width))
    .join('\n');
}
