// What the shell may offer next: the scripts for the shells, and the answer to their request.

import type { OptionDefinition } from './options.ts';

const BASH = `_linecard() {
  local value about
  COMPREPLY=()
  while IFS=$'\\t' read -r value about; do
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

/** The script that a shell reads at its start. */
export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;

/** What the completions need to know of a command. */
export interface Completable {
  readonly words: readonly string[];
  readonly about: string;
  /** What the first word stands for, where several commands begin with it. */
  readonly groupAbout?: string;
  readonly options: readonly OptionDefinition[];
  /** Values that may stand behind the words. */
  readonly args?: readonly string[];
}

interface Offer {
  readonly value: string;
  readonly about: string;
}

/** `--no-x` is `x`, given. */
const OPTION = /^--(?:no-)?([a-z-]+)$/;

/** The command that the words begin with, and how many of them are its own. */
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

/** The words that may follow; a word that leads on to several commands stands once. */
function wordOffers(at: number, commands: readonly Completable[]): Offer[] {
  const offers = new Map<string, Offer>();
  for (const { words, about, groupAbout = '' } of commands) {
    const value = words[at];
    if (value === undefined || offers.has(value)) continue;
    offers.set(value, { value, about: words.length > at + 1 ? groupAbout : about });
  }
  return [...offers.values()];
}

/** Values of an option; in a list of them, what is typed already stays in front. */
function valueOffers({ values = [], many }: OptionDefinition, typed: string, front = ''): Offer[] {
  const before = many === true ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
  const taken = before.split(',');
  return values
    .filter((value) => !taken.includes(value))
    .map((value) => ({ value: front + before + value, about: '' }));
}

function optionOffers(options: readonly OptionDefinition[], given: ReadonlySet<string>): Offer[] {
  return options
    .filter(({ name, many }) => many === true || !given.has(name))
    .flatMap(({ name, about, negatable }) => [
      { value: `--${name}`, about },
      ...(negatable === true ? [{ value: `--no-${name}`, about }] : []),
    ]);
}

/**
 * Values where the cursor stands behind an option that takes one, or in `--option=…`; `undefined` elsewhere.
 */
function offersOfValue(
  options: readonly OptionDefinition[],
  before: string,
  current: string,
): Offer[] | undefined {
  const optionNamed = (word: string) => options.find(({ name }) => word === `--${name}`);
  const [front = '', typed] = current.split('=', 2);
  if (typed !== undefined) {
    const spelled = optionNamed(front);
    return spelled === undefined ? [] : valueOffers(spelled, typed, `${front}=`);
  }
  const option = optionNamed(before);
  if (option?.value === undefined || current.startsWith('-')) return undefined;
  // A value in brackets may be left out: offered only where it was begun.
  if (option.value.startsWith('[') && current === '') return undefined;
  return valueOffers(option, current);
}

function offersFor(words: readonly string[], current: string, commands: readonly Completable[]): Offer[] {
  const { path, rest } = commandOf(words, commands);
  const command = rest.find((one) => one.words.length === path.length);
  if (command === undefined) return path.length === words.length ? wordOffers(path.length, rest) : [];
  const { options, args = [] } = command;
  const values = offersOfValue(options, words.at(-1) ?? '', current);
  if (values !== undefined) return values;
  const left = args.filter((arg) => !words.includes(arg)).map((value) => ({ value, about: '' }));
  if (left.length > 0 && !current.startsWith('-')) return left;
  const given = new Set(words.map((word) => OPTION.exec(word)?.[1] ?? ''));
  return [...optionOffers(options, given), { value: '--help', about: 'show what it takes' }];
}

/**
 * What could stand where the cursor is, a line each: value, tab, what it is.
 * @param words what was typed behind the program's name; the last may be half a word or empty
 */
export function completions(words: readonly string[], commands: readonly Completable[]): string {
  const typed = [...words];
  let current = typed.pop() ?? '';
  // bash hands over `--option=value` as three words and wants only the last of them back.
  if (current === '=') current = '';
  if (typed.at(-1) === '=') typed.pop();
  return offersFor(typed, current, commands)
    .filter(({ value }) => value.startsWith(current))
    .map(({ value, about }) => `${value}\t${about}\n`)
    .join('');
}
