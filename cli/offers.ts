// What the shell is offered, with the values of this account: completion.ts knows the words, value-cache.ts
// the values, countries.ts the countries.

import { type Completable, completions, type Offer, optionAtCursor } from './completion.ts';
import { countries } from './countries.ts';
import { knownValues } from './value-cache.ts';

/** The values of an account for the option that the cursor stands behind, the most frequent first. */
async function valuesHere(
  words: readonly string[],
  commands: readonly Completable[],
  signal: AbortSignal,
): Promise<Offer[]> {
  const { command, option } = optionAtCursor(words, commands) ?? {};
  if (command?.list === undefined || option?.facet === undefined) return [];
  const found = (await knownValues(command.list, signal))[option.facet] ?? [];
  if (option.countries !== true) return found.map(({ value, count }) => ({ value, about: String(count) }));
  const names = countries();
  return [
    ...found.map(({ value, count }) => ({ value, about: `${names.get(value) ?? value}, ${count}` })),
    ...[...names].map(([value, about]) => ({ value, about })),
  ];
}

/** As `completions`. */
export async function offersText(
  words: readonly string[],
  commands: readonly Completable[],
  signal: AbortSignal,
): Promise<string> {
  return completions(words, commands, await valuesHere(words, commands, signal));
}
