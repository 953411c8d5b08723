// Shell completion: the scripts for the shells, and the answers to their requests.

import type { List } from '@linecard/client/contract/list';
import type { OptionDefinition } from './options.ts';

const BASH = `_linecard() {
  local value about
  COMPREPLY=()
  while IFS=$'\\t' read -r value about; do
    if [[ $value == *[^A-Za-z0-9_,.:=+@%/-]* ]]; then printf -v value %q "$value"; fi
    COMPREPLY+=("$value")
  done < <(linecard complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _linecard linecard
`;

const ZSH = `#compdef linecard
_linecard() {
  local -a found
  local value about
  while IFS=$'\\t' read -r value about; do
    found+=("\${value//:/\\\\:}\${about:+:$about}")
  done < <(linecard complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe -V linecard found; else _files; fi
}
if [[ "$funcstack[1]" == _linecard ]]; then _linecard "$@"; else compdef _linecard linecard; fi
`;

const FISH = `function __linecard_complete
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  linecard complete -- $before[2..-1] "$current" 2>/dev/null
end
complete -c linecard -f -a '(__linecard_complete)'
complete -c linecard -l file -r -F
`;

export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;

export interface Completable {
  readonly words: readonly string[];
  readonly about: string;
  /** The meaning of the first word, where several commands begin with it. */
  readonly groupAbout?: string;
  readonly options: readonly OptionDefinition[];
  readonly list?: List;
  /** Values for the argument after the words. */
  readonly args?: readonly string[];
}

export interface Offer {
  readonly value: string;
  readonly about: string;
}

/** The name of `--no-x` is `x`. */
const OPTION = /^--(?:no-)?([a-z\d-]+)$/;

/** The command that the words begin with, and how many words it has. */
function commandOf(
  words: readonly string[],
  commands: readonly Completable[],
): { path: string[]; rest: Completable[] } {
  const path: string[] = [];
  let rest = [...commands];
  for (const word of words) {
    const next = rest.filter((command) => command.words[path.length] === word);
    if (next.length === 0) break;
    path.push(word);
    rest = next;
  }
  return { path, rest };
}

/** The words that may follow, each once. */
function wordOffers(at: number, commands: readonly Completable[]): Offer[] {
  const offers = new Map<string, Offer>();
  for (const { words, about, groupAbout = '' } of commands) {
    const value = words[at];
    if (value === undefined || offers.has(value)) continue;
    offers.set(value, { value, about: words.length > at + 1 ? groupAbout : about });
  }
  return [...offers.values()];
}

/** The last comma that separates values: not `\,`, which is part of one. */
const LAST_COMMA = /^(?:.*[^\\])?,/s;

/** Values of an option; in a list of values, those already typed stay in front. */
function valueOffers(
  { values = [], many }: OptionDefinition,
  more: readonly Offer[],
  typed: string,
  front = '',
): Offer[] {
  const [before = ''] = many === true ? (LAST_COMMA.exec(typed) ?? []) : [];
  const spelled = (value: string) => (many === true ? value.replaceAll(',', '\\,') : value);
  const taken = new Set(before.split(/(?<!\\),/));
  return [...more, ...values.map((value) => ({ value, about: '' }))].flatMap(({ value, about }) => {
    const text = spelled(value);
    if (taken.has(text)) return [];
    taken.add(text);
    return [{ value: front + before + text, about }];
  });
}

function optionOffers(options: readonly OptionDefinition[], given: ReadonlySet<string>): Offer[] {
  return options
    .filter(({ name, many }) => many === true || !given.has(name))
    .flatMap(({ name, about, negatable }) => [
      { value: `--${name}`, about },
      ...(negatable === true ? [{ value: `--no-${name}`, about }] : []),
    ]);
}

/** Where the cursor is after an option that takes a value, or within `--option=…`. */
interface ValueAtCursor {
  readonly option: OptionDefinition | undefined;
  /** The part of the word before the value. */
  readonly front: string;
  readonly typed: string;
}

function valueAtCursor(
  options: readonly OptionDefinition[],
  before: string,
  current: string,
): ValueAtCursor | undefined {
  const optionNamed = (word: string) => options.find(({ name }) => word === `--${name}`);
  const equals = current.startsWith('--') ? current.indexOf('=') + 1 : 0;
  if (equals > 0) {
    const front = current.slice(0, equals);
    return { option: optionNamed(front.slice(0, -1)), front, typed: current.slice(equals) };
  }
  const option = optionNamed(before);
  if (option?.value === undefined || current.startsWith('-')) return undefined;
  // An optional value is offered only once it was begun.
  if (option.value.startsWith('[') && current === '') return undefined;
  return { option, front: '', typed: current };
}

/** A word without its quotes and backslashes, which bash passes along. */
function unquoted(word: string): string {
  return word.replace(/^["']/, '').replace(/\\(?!,)(.)/gs, '$1');
}

export interface Cursor extends ReturnType<typeof commandOf> {
  /** The words in front of it. */
  readonly before: readonly string[];
  /** The typed part of the word that it is at. */
  readonly current: string;
  /** `undefined` while its words are being typed. */
  readonly command: Completable | undefined;
  readonly value: ValueAtCursor | undefined;
}

/** @param words typed after the name of the program; the last may be partial or empty */
export function cursorAt(words: readonly string[], commands: readonly Completable[]): Cursor {
  const before = [...words];
  let current = before.pop() ?? '';
  // bash passes `--option=value` as three words, and expects only the last of them.
  if (current === '=') current = '';
  if (before.at(-1) === '=') before.pop();
  current = unquoted(current);
  const { path, rest } = commandOf(before, commands);
  const command = rest.find((one) => one.words.length === path.length);
  const value = command && valueAtCursor(command.options, before.at(-1) ?? '', current);
  return { before, current, path, rest, command, value };
}

function offersFor({ before, current, path, rest, command, value }: Cursor, more: readonly Offer[]): Offer[] {
  if (command === undefined) return path.length === before.length ? wordOffers(path.length, rest) : [];
  if (value !== undefined) {
    const { option, front, typed } = value;
    return option === undefined ? [] : valueOffers(option, more, typed, front);
  }
  const { options, args = [] } = command;
  const left = args.filter((arg) => !before.includes(arg)).map((arg) => ({ value: arg, about: '' }));
  if (left.length > 0 && !current.startsWith('-')) return left;
  const given = new Set(before.map((word) => OPTION.exec(word)?.[1] ?? ''));
  return [...optionOffers(options, given), { value: '--help', about: 'show what it takes' }];
}

/**
 * What could follow at the cursor, one line each: value, tab, description.
 * @param more values of the option at the cursor, in addition to those of its definition
 */
export function completions(cursor: Cursor, more: readonly Offer[] = []): string {
  return offersFor(cursor, more)
    .filter(({ value }) => value.startsWith(cursor.current))
    .map(({ value, about }) => `${value}\t${about}\n`)
    .join('');
}
