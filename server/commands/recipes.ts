// `linecard-server recipe`: queries for known billing systems, as starting points for `pull`. They are the
// files of recipes/, a folder for each system.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WrongUsage } from '../errors.ts';
import { type CommandDefinition, command } from './command.ts';
import { printRows } from './print.ts';

const FOLDER = join(import.meta.dirname, '..', 'recipes');
const SUFFIX = '.sql';

/** The systems there are recipes for, with the database that each has. */
const DATABASES: Readonly<Record<string, string>> = {
  a2billing: 'MySQL',
  astpp: 'MySQL',
  fusionpbx: 'PostgreSQL',
  jambonz: 'MySQL',
  magnusbilling: 'MySQL',
};

export function recipes() {
  return Object.entries(DATABASES).map(([system, database]) => ({
    system,
    database,
    lists: readdirSync(join(FOLDER, system))
      .map((file) => file.slice(0, -SUFFIX.length))
      .toSorted(),
  }));
}

/** @throws {WrongUsage} if there is none, with the names there are. */
export function recipeText(system = '', list = ''): string {
  const all = recipes();
  const found = all.find((recipe) => recipe.system === system);
  if (found === undefined) {
    const names = all.map((recipe) => recipe.system).join(', ');
    throw new WrongUsage(`There is no recipe for ${JSON.stringify(system)}. There are: ${names}.`);
  }
  if (!found.lists.includes(list)) {
    const names = found.lists.join(', ');
    throw new WrongUsage(`The recipe for ${system} has no ${JSON.stringify(list)}. It has: ${names}.`);
  }
  return readFileSync(join(FOLDER, system, `${list}${SUFFIX}`), 'utf8');
}

export const recipeCommands: readonly CommandDefinition[] = [
  command({
    words: 'list',
    about: 'Show the systems with a query, their database, and the lists.',
    takes: ['config', 'json'],
    examples: ['linecard-server recipe list', 'linecard-server recipe list --json'],
    async run(_args, { json }) {
      await printRows(json, ['system', 'database', 'lists'], recipes(), ({ lists, ...recipe }) => ({
        ...recipe,
        lists: lists.join(', '),
      }));
    },
  }),
  command({
    words: 'show <system> <list>',
    about: 'Print a query to edit: a comment on top says what to check.',
    takes: ['config'],
    examples: [
      'linecard-server recipe show astpp virtual-numbers > numbers.sql',
      'linecard-server pull virtual-numbers --query numbers.sql --dry-run',
    ],
    async run([system, list]) {
      process.stdout.write(recipeText(system, list));
    },
  }),
];
