// `linecard-server field`: declares, lists, shows, changes and removes the operator's own fields.

import { lists } from '@linecard/client/contract';
import { LANGUAGES } from '@linecard/client/contract/labels';
import { listed } from '@linecard/client/contract/wording';
import { Failed, WrongUsage } from '../errors.ts';
import { deriveFieldOperation } from '../operations/field-derive.ts';
import type { FieldView } from '../operations/field-shape.ts';
import {
  addFieldOperation,
  changeFieldOperation,
  listFieldsOperation,
  removeFieldOperation,
  showFieldOperation,
} from '../operations/fields.ts';
import { optionOf } from '../settings/config.ts';
import type { Options } from '../settings/options.ts';
import { countValues, declarationsOf } from '../store/lists/own-fields.ts';
import type { Store } from '../store/store.ts';
import { listWebhooks } from '../store/webhooks/webhooks.ts';
import { type CommandDefinition, command, DATABASE, withStore, withWrittenStore } from './command.ts';
import { perform, readOptions } from './operation.ts';
import { counted, mustConfirm, printJson, printRows, say, WAITING } from './print.ts';

const OPTIONS = {
  kind: 'kind',
  title: 'title',
  titles: 'title',
  search: 'search',
  shown: 'shown',
  derive: 'derive',
} as const;
const CHANGES = ['title', 'search', 'no_search', 'shown', 'not_shown', 'derive'] as const;
const COLUMNS = ['list', 'name', 'kind', 'title', 'search', 'shown', 'derive'] as const;
const waits = { onWait: () => say(WAITING) };
const wordsOf = (list: string) => list.replaceAll('_', '-');

type FieldOptions = Pick<Options, (typeof CHANGES)[number]>;

/** Titles as options give them: `Site`, `de=Standort`. */
function titlesOf(given: readonly string[] | undefined) {
  if (given === undefined) return {};
  const tagged = given.map((text) => {
    const language = LANGUAGES.find((one) => text.startsWith(`${one}=`));
    return language === undefined
      ? ([LANGUAGES[0], text] as const)
      : ([language, text.slice(language.length + 1)] as const);
  });
  return { titles: Object.fromEntries(tagged) };
}

/** True, false or nothing, by the flag that says it and the one that says the opposite. */
function eitherOf(
  is: boolean,
  isNot: boolean,
  name: 'search' | 'shown',
  opposite: 'no_search' | 'not_shown',
): boolean | undefined {
  if (is && isNot) throw new WrongUsage(`Use either ${optionOf(name)} or ${optionOf(opposite)}.`);
  return is ? true : isNot ? false : undefined;
}

const givenOf = ({ title, search, no_search, shown, not_shown, derive }: FieldOptions) => ({
  ...titlesOf(title),
  search: eitherOf(search, no_search, 'search', 'no_search'),
  shown: eitherOf(shown, not_shown, 'shown', 'not_shown'),
  derive: derive === 'none' ? null : derive,
});

/** The list that has a field of that name; `--list` says which if both have. */
async function listOf(store: Store, name: string, wanted: Options['field_list']): Promise<FieldView> {
  const { data } = await perform(listFieldsOperation, store, { list: undefined }, {});
  const found = data.filter(
    (one) => one.name === name && (wanted ?? wordsOf(one.list)) === wordsOf(one.list),
  );
  const [first] = found;
  if (first === undefined) {
    const ofList = wanted === undefined ? '' : ` of ${wanted.replaceAll('-', '_')}`;
    throw new Failed(`There is no field ${name}${ofList}. See: linecard-server field list`);
  }
  if (found.length > 1)
    throw new WrongUsage(
      `Both lists have ${name}: say which with --list, such as --list ${wordsOf(first.list)}.`,
    );
  return first;
}

const idOf = ({ list, name }: FieldView) => `${list}/${name}`;

const withField = async (store: Store, name: string, list: Options['field_list']) =>
  idOf(await listOf(store, name, list));

export const fieldCommands: readonly CommandDefinition[] = [
  command({
    words: 'add <list> <name>',
    about: addFieldOperation.about,
    takes: [...DATABASE, 'kind', 'title', 'search', 'shown', 'derive'],
    examples: [
      'linecard-server field add virtual-numbers x_site --kind text --title Site --title de=Standort --search',
      'linecard-server field add virtual-numbers x_last_call --kind timestamp --title "Last call"',
    ],
    async run([list = '', name = ''], { kind, title, search, shown, derive, ...database }) {
      const options = { title, search, no_search: false, shown, not_shown: false, derive };
      const given = { list: list.replaceAll('-', '_'), name, kind, ...givenOf(options) };
      const read = readOptions(addFieldOperation, given, OPTIONS);
      const field = await withWrittenStore(database, (store) =>
        perform(addFieldOperation, store, read, { waits, options: OPTIONS }),
      );
      say(
        `Declared ${field.name} (${field.title}) of ${lists[field.list].title.toLowerCase()}. Import a column of that name.`,
      );
    },
  }),
  command({
    words: 'list',
    about: listFieldsOperation.about,
    takes: [...DATABASE, 'json'],
    async run(_args, { json, ...database }) {
      const read = (store: Store) => perform(listFieldsOperation, store, { list: undefined }, {});
      const { data } = await withStore(database, read, 'read');
      await printRows(json, COLUMNS, async function* () {
        yield data;
      });
    },
  }),
  command({
    words: 'show <name>',
    about: showFieldOperation.about,
    takes: [...DATABASE, 'field_list', 'json'],
    async run([name = ''], { field_list: list, json, ...database }) {
      const field = await withStore(database, (store) => listOf(store, name, list), 'read');
      if (json) return printJson(field);
      for (const [member, value] of Object.entries(field))
        process.stdout.write(`${member}: ${typeof value === 'string' ? value : JSON.stringify(value)}\n`);
    },
  }),
  command({
    words: 'change <name>',
    about: changeFieldOperation.about,
    takes: [...DATABASE, 'field_list', ...CHANGES],
    examples: ['linecard-server field change x_site --title "Site name" --no-search'],
    async run([name = ''], { field_list, title, search, no_search, shown, not_shown, derive, ...database }) {
      const given = givenOf({ title, search, no_search, shown, not_shown, derive });
      if (Object.values(given).every((value) => value === undefined))
        throw new WrongUsage(`Specify what to change: ${listed(CHANGES.map(optionOf), 'or')}.`);
      const read = readOptions(changeFieldOperation, given, OPTIONS);
      await withStore(
        database,
        async (store) => {
          const id = await withField(store, name, field_list);
          await perform(changeFieldOperation, store, read, { id, waits, options: OPTIONS });
        },
        'change',
      );
      say(`Changed the field ${name}.`);
    },
  }),
  command({
    words: 'derive <name>',
    about: deriveFieldOperation.about,
    takes: [...DATABASE, 'field_list', 'all_values'],
    examples: ['linecard-server field derive x_type'],
    async run([name = ''], { field_list: list, all_values: all, ...database }) {
      const derive = async (store: Store) =>
        perform(deriveFieldOperation, store, { all }, { id: await withField(store, name, list), waits });
      const { rows, updated } = await withStore(database, derive, 'change');
      say(`${counted(rows, 'item')} read, ${updated} updated.`);
    },
  }),
  command({
    words: 'remove <name>',
    about: removeFieldOperation.about,
    takes: [...DATABASE, 'field_list', 'yes'],
    async run([name = ''], { field_list: list, yes, ...database }) {
      const work = async (store: Store) => {
        const field = await listOf(store, name, list);
        const own = (await declarationsOf(store, field.list)).find((one) => one.name === name);
        const items = own === undefined ? 0 : await countValues(store, field.list, own);
        const has = items === 1 ? 'has' : 'have';
        await mustConfirm(
          `Remove the field ${name}, of which ${counted(items, 'item')} ${has} a value?`,
          yes,
          'Nothing was removed.',
        );
        await perform(removeFieldOperation, store, {}, { id: idOf(field), waits });
        say(`Removed the field ${name}, of which ${counted(items, 'item')} had a value.`);
        const naming = (await listWebhooks(store, undefined)).filter(
          ({ lists: names, fields }) => fields?.includes(name) && (names?.includes(field.list) ?? true),
        );
        if (naming.length > 0)
          say(`Webhooks that name it no longer receive it: ${naming.map(({ id }) => id).join(', ')}.`);
      };
      await withStore(database, work, 'change');
    },
  }),
];
