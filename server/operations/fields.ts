// The operator's own fields: declared, listed, shown, changed and removed. They are of all accounts, so a
// token that is bound to some may not.

import { lists } from '@linecard/client/contract';
import { LANGUAGES } from '@linecard/client/contract/labels';
import type { List } from '@linecard/client/contract/list';
import { MAX_OWN_FIELDS } from '@linecard/client/contract/own-fields';
import { timestampOf } from '@linecard/client/contract/timestamp';
import {
  changeDeclarations,
  type Declaration,
  type DeclarationChange,
  declarationsOf,
  freeSlot,
} from '../store/lists/own-fields.ts';
import type { ListName } from '../store/tables.ts';
import { FIELD, FIELD_CHANGE, type FieldView, fieldView, listField, NEW_FIELD } from './field-shape.ts';
import { answered, LIST_NAMES } from './members.ts';
import { type Actor, anyId, type Context, type OperationRoute, operation, Unable } from './operation.ts';
import { type Given, ShapeRefused, shapeSchema } from './shape.ts';

export const PATH = '/fields/{list}/{name}';
export const ID = anyId('The list and the name of the field.', 'virtual_numbers/x_site');
const MILLISECONDS = 1_000;

const answer = { schema: shapeSchema(FIELD, 'OwnField'), about: 'The field.' };
const routeOf = (
  method: OperationRoute['method'],
  path: string,
  on: OperationRoute['on'] = 'slow',
): OperationRoute => ({ method, path, status: 200, permission: 'fields', on, answer });

/** @throws {Unable} for a token that is bound to accounts. */
export function mustBeOfAll({ accounts }: Actor): void {
  if (accounts === undefined) return;
  throw new Unable(
    'forbidden',
    'This token is bound to accounts, and the fields of a list are of all: use one that is not bound.',
  );
}

const noField = (list: string, name: string) =>
  new Unable('not-found', `There is no field ${name} of ${list}.`, { words: 'field list' });

/** The list and the name of a path. */
export function partsOf(id: string): readonly [list: ListName, name: string] {
  const [word = '', name = ''] = id.split('/');
  const list = LIST_NAMES.find((one) => one === word.replaceAll('-', '_'));
  if (list === undefined) throw noField(word, name);
  return [list, name];
}

/**
 * The field of that name which is not removed.
 * @throws {Unable}
 */
function liveOf(all: readonly Declaration[], list: ListName, name: string): Declaration {
  const found = all.find((one) => one.name === name && one.removed_at === null);
  if (found === undefined) throw noField(list, name);
  return found;
}

/** @throws {Unable} */
export const mustFind = async ({ store }: Pick<Context, 'store'>, list: ListName, name: string) =>
  liveOf(await declarationsOf(store, list), list, name);

/** @throws {ShapeRefused} for what a field of that list and kind cannot be. */
function mustFit(
  list: ListName,
  { kind, search, derive }: Pick<Declaration, 'kind' | 'search' | 'derive'>,
): void {
  const { searchDigits }: List = lists[list];
  const what = `is for texts, and the kind of this field is ${kind}`;
  const faults = [
    ...(search && kind !== 'text' ? [{ member: 'search', what }] : []),
    ...(derive !== null && kind !== 'text' ? [{ member: 'derive', what }] : []),
    ...(derive !== null && searchDigits === undefined
      ? [{ member: 'derive', what: 'is for virtual numbers: this list has no numbers' }]
      : []),
  ];
  if (faults.length > 0) throw new ShapeRefused(faults);
}

/** The titles after a change; null removes. */
function titlesWith(
  before: Declaration['titles'],
  { title, titles }: Pick<Given<typeof FIELD_CHANGE>, 'title' | 'titles'>,
): Declaration['titles'] {
  const [first] = LANGUAGES;
  const { [first]: own, ...others } = titles === null ? { [first]: before[first] } : { ...before, ...titles };
  const said = title === undefined ? own : (title?.trim() ?? undefined);
  const all = { ...(said !== undefined && said !== '' && { [first]: said }), ...others };
  return Object.fromEntries(
    Object.entries(all).filter(([, text]) => text !== undefined),
  ) as Declaration['titles'];
}

/** What adds a field to those of its list. */
function added(given: Given<typeof NEW_FIELD>, all: readonly Declaration[]): DeclarationChange {
  const { list, name, kind, search, shown, derive } = given;
  const live = all.filter((one) => one.removed_at === null);
  if (live.some((one) => one.name === name))
    throw new Unable('conflict', `The field ${name} of ${list} already exists.`);
  if (live.length >= MAX_OWN_FIELDS)
    throw new Unable(
      'conflict',
      `${list} already has ${MAX_OWN_FIELDS} fields of yours, which is the maximum.`,
      { words: 'field remove', lead: 'Remove one' },
    );
  const free = freeSlot(all, MAX_OWN_FIELDS, Date.now());
  if ('restsUntil' in free) {
    const seconds = Math.max(1, Math.ceil((free.restsUntil - Date.now()) / MILLISECONDS));
    throw new Unable(
      'conflict',
      `The columns of the field that was removed last are free in ${seconds} seconds, when every process has noticed. Try again then.`,
    );
  }
  const { slot } = free;
  const titles = titlesWith({}, given);
  const own: Declaration = {
    ...{ name, kind, titles, search, shown, derive, slot },
    ...{ created_at: timestampOf(), removed_at: null },
  };
  const others = all.filter((one) => one.slot !== slot);
  return { declared: [...others, own], event: 'added', name, given: slot };
}

export const addFieldOperation = operation({
  words: 'field add',
  title: 'Declare a field',
  about: 'Declare a field of your own: items, filters, sort keys and files have it within 5 seconds.',
  of: 'a field',
  takes: NEW_FIELD,
  shown: ['list', 'name', 'kind', 'title'],
  route: { ...routeOf('POST', '/fields'), status: 201 },
  async run({ store, by, waits = {} }, given) {
    mustBeOfAll(by);
    const { list, name } = given;
    mustFit(list, given);
    await changeDeclarations(store, list, by, waits, (all) => added(given, all));
    return fieldView(list, await mustFind({ store }, list, name));
  },
});

export const listFieldsOperation = operation({
  words: 'field list',
  title: 'List fields',
  about: 'Show the fields of your own, by list and in their order.',
  of: 'the request',
  takes: { list: { ...listField, about: 'Only those of this list.' } },
  route: {
    ...routeOf('GET', '/fields', 'read'),
    answer: {
      schema: shapeSchema(
        { data: answered('The fields.', { type: 'array', items: shapeSchema(FIELD, 'OwnField') }, []) },
        'OwnFieldList',
      ),
      about: 'The fields.',
    },
  },
  async run({ store, by }, { list }): Promise<{ readonly data: readonly FieldView[] }> {
    mustBeOfAll(by);
    const data: FieldView[] = [];
    for (const one of LIST_NAMES.filter((known) => list === undefined || known === list))
      data.push(...(await declarationsOf(store, one)).map((own) => fieldView(one, own)));
    return { data };
  },
});

export const showFieldOperation = operation({
  words: 'field show',
  title: 'Show a field',
  about: 'Show a field of your own.',
  of: 'the request',
  id: ID,
  takes: {},
  route: routeOf('GET', PATH, 'read'),
  async run(context, _given, id) {
    mustBeOfAll(context.by);
    const [list, name] = partsOf(id);
    return fieldView(list, await mustFind(context, list, name));
  },
});

export const changeFieldOperation = operation({
  words: 'field change',
  title: 'Change a field',
  about: 'Change the titles of a field, whether it is searched and shown, and how it is filled.',
  of: 'a field',
  id: ID,
  takes: FIELD_CHANGE,
  shown: ['title'],
  route: routeOf('PATCH', PATH),
  async run({ store, by, waits = {} }, given, id) {
    mustBeOfAll(by);
    const [list, name] = partsOf(id);
    await changeDeclarations(store, list, by, waits, (all) => {
      const before = liveOf(all, list, name);
      const { search = before.search, shown = before.shown, derive = before.derive } = given;
      const changed = { ...before, titles: titlesWith(before.titles, given), search, shown, derive };
      mustFit(list, changed);
      if (JSON.stringify(changed) === JSON.stringify(before)) return undefined;
      return { declared: all.map((one) => (one === before ? changed : one)), event: 'changed', name };
    });
    return fieldView(list, await mustFind({ store }, list, name));
  },
});

export const removeFieldOperation = operation({
  words: 'field remove',
  title: 'Remove a field',
  about: 'Remove a field with its values: they cannot be restored.',
  of: 'the request',
  id: ID,
  takes: {},
  route: { method: 'DELETE', path: PATH, status: 204, permission: 'fields', on: 'slow' },
  async run({ store, by, waits = {} }, _given, id) {
    mustBeOfAll(by);
    const [list, name] = partsOf(id);
    await changeDeclarations(store, list, by, waits, (all) => {
      const before = liveOf(all, list, name);
      const removed = { ...before, removed_at: timestampOf() };
      return { declared: all.map((one) => (one === before ? removed : one)), event: 'removed', name };
    });
  },
});

export const fieldOperations = [
  listFieldsOperation,
  addFieldOperation,
  showFieldOperation,
  changeFieldOperation,
  removeFieldOperation,
];
