// `linecard-server recipe`: what known systems start from, the files of recipes/, a folder for each system:
// queries for `pull`, and a mapping for the file that a system writes.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WrongUsage } from '../errors.ts';
import { mappingSystems, RECIPES, systemMapping } from '../import/mapping/systems.ts';
import { type CommandDefinition, command } from './command.ts';
import { printRows } from './print.ts';

const SUFFIX = '.sql';

/** The database of each system that there are queries for. */
const DATABASES: Readonly<Record<string, string>> = {
  a2billing: 'MySQL',
  astpp: 'MySQL',
  fusionpbx: 'PostgreSQL',
  jambonz: 'MySQL',
  magnusbilling: 'MySQL',
};

interface Recipe {
  readonly system: string;
  /** Whether there is a mapping for its file. */
  readonly mapping: boolean;
  readonly database: string | null;
  /** The lists that there are queries for. */
  readonly queries: readonly string[];
}

export function recipes(): Recipe[] {
  return readdirSync(RECIPES)
    .toSorted()
    .map((system) => ({
      system,
      mapping: mappingSystems.includes(system),
      database: DATABASES[system] ?? null,
      queries: readdirSync(join(RECIPES, system))
        .filter((file) => file.endsWith(SUFFIX))
        .map((file) => file.slice(0, -SUFFIX.length))
        .toSorted(),
    }));
}

/**
 * The query for a list, or without a list the mapping.
 * @throws {WrongUsage} if there is none, with what there is.
 */
export function recipeText(system = '', list?: string): string {
  const all = recipes();
  const found = all.find((recipe) => recipe.system === system);
  if (found === undefined) {
    const names = all.map((recipe) => recipe.system).join(', ');
    throw new WrongUsage(`There is no recipe for ${JSON.stringify(system)}. There are: ${names}.`);
  }
  const { mapping, queries } = found;
  if (list === undefined && mapping) return systemMapping(system);
  if (list !== undefined && queries.includes(list))
    return readFileSync(join(RECIPES, system, `${list}${SUFFIX}`), 'utf8');
  const what = list === undefined ? 'mapping' : `query ${JSON.stringify(list)}`;
  const has = [
    ...(mapping ? [`a mapping ("recipe show ${system}")`] : []),
    ...(queries.length === 0 ? [] : [`queries: ${queries.join(', ')}`]),
  ];
  throw new WrongUsage(`The recipe for ${system} has no ${what}. It has ${has.join(', and ')}.`);
}

export const recipeCommands: readonly CommandDefinition[] = [
  command({
    words: 'list',
    about:
      'Show the systems, whether each has a mapping for its file, and the lists with a query to its database.',
    takes: ['config', 'json'],
    examples: ['linecard-server recipe list', 'linecard-server recipe list --json'],
    async run(_args, { json }) {
      await printRows(json, ['system', 'mapping', 'database', 'queries'], recipes(), (recipe) => ({
        ...recipe,
        mapping: recipe.mapping ? 'yes' : '',
        queries: recipe.queries.join(', '),
      }));
    },
  }),
  command({
    words: 'show <system> [list]',
    about:
      'Print the mapping for the file that a system writes, or with a list the query to its database; edit it first.',
    takes: ['config'],
    examples: [
      'linecard-server recipe show twilio > twilio.json',
      'linecard-server import virtual-numbers --mapping twilio.json --dry-run numbers.csv',
      'linecard-server recipe show astpp virtual-numbers > numbers.sql',
      'linecard-server pull virtual-numbers --query numbers.sql --dry-run',
    ],
    async run([system, list]) {
      process.stdout.write(recipeText(system, list));
    },
  }),
];
