// What an operation takes, does and fails with, as a command: its members are options, and its faults name
// the option that says them.

import { visible } from '@linecard/client/contract/printable';
import { Failed, WrongUsage } from '../errors.ts';
import { type Context, type Operation, Unable } from '../operations/operation.ts';
import { type Given, Known, readShape, type Shape, ShapeRefused, sentenceOf } from '../operations/shape.ts';
import { isOption, optionOf, type ParameterName, type Values } from '../settings/config.ts';
import { type ChangeStore, commandOrigin } from '../store/log/audit.ts';
import type { Store } from '../store/store.ts';
import { type CommandDefinition, command, DATABASE, withStore } from './command.ts';
import { printJson, say, typed } from './print.ts';

/** By member: the option that says it, if that has another name. */
export type OptionsOf<S extends Shape> = { readonly [M in keyof S]?: ParameterName };

/** The option that says a member. */
export const optionFor = (options: OptionsOf<Shape>, member: string): ParameterName | undefined =>
  options[member] ?? (isOption(member) ? member : undefined);

/** A value that its option has read. */
export const known = (value: unknown): Known | undefined =>
  value === undefined ? undefined : new Known(value);

const words = (given: unknown) => (given as readonly string[]).map((word) => word.replaceAll('-', '_'));
const time = (given: unknown) => new Known(given);
/** What an option says of a member, by its name, if that is not its value. */
const MEANINGS: Readonly<Record<string, (value: unknown) => unknown>> = {
  lists: words,
  events: words,
  charges: (without) => (without ? false : undefined),
  expires_in: time,
  overlap: time,
  from: time,
};

/** What options say of the members of a shape. */
export function givenOf(
  takes: Shape,
  values: Partial<Values>,
  options: OptionsOf<Shape>,
): Readonly<Record<string, unknown>> {
  const members = Object.keys(takes).map((member): [string, unknown] => {
    const option = optionFor(options, member);
    const value = option && values[option];
    const meaning = MEANINGS[member];
    return [member, value === undefined || meaning === undefined ? value : meaning(value)];
  });
  return Object.fromEntries(members);
}

interface Performance extends Pick<Context, 'handOver' | 'waits'> {
  readonly id?: string;
  /** What the members are called that are found wrong when it is done. */
  readonly options?: OptionsOf<Shape>;
}

function sentence({ message, see }: Unable): string {
  if (see === undefined) return message;
  const { lead = 'See', words, rest, options } = see;
  const all = ['linecard-server', words, rest === undefined ? undefined : typed(rest), options];
  return `${message} ${lead}: ${all.filter((one) => one !== undefined).join(' ')}`;
}

/** Faults by the options that say the members. */
const faultsText = ({ faults }: ShapeRefused, options: OptionsOf<Shape>): string =>
  faults
    .map((fault) => {
      const option = optionFor(options, fault.member);
      return sentenceOf(fault, option === undefined ? fault.member : optionOf(option));
    })
    .join('\n');

/**
 * The values that options give the members of a shape.
 * @throws {WrongUsage} with every fault, by option.
 */
export function readOptions<S extends Shape>(
  { takes, of }: Pick<Operation<S>, 'takes' | 'of'>,
  given: Readonly<Record<string, unknown>>,
  options: OptionsOf<S>,
): Given<S> {
  try {
    return readShape(takes, given, of);
  } catch (error) {
    if (!(error instanceof ShapeRefused)) throw error;
    throw new WrongUsage(faultsText(error, options), { cause: error });
  }
}

/**
 * What became of work of an operation.
 * @param options what the members are called that are found wrong when it is done.
 * @throws {Failed}
 */
export async function failed<Out>(work: Promise<Out>, options: OptionsOf<Shape> = {}): Promise<Out> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ShapeRefused) throw new Failed(faultsText(error, options), { cause: error });
    throw error instanceof Unable ? new Failed(sentence(error), { cause: error }) : error;
  }
}

/**
 * Does an operation on behalf of the user of a command.
 * @param store one that is only read and changed where no more of it is there, as on a full disk.
 * @throws {Failed}
 */
export const perform = <S extends Shape, Out>(
  operation: Operation<S, Out>,
  store: ChangeStore,
  read: Given<S>,
  { id = '', options, ...context }: Performance,
): Promise<Out> =>
  failed(operation.run({ store: store as Store, by: commandOrigin(), ...context }, read, id), options);

/** A value as a line shows it. */
function shownValue(value: unknown): string {
  const texts = [value ?? ''].flat().map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  return visible(texts.join(', ')) || '-';
}

/** The command that shows a record: a line for each of its members, or JSON. */
export const showCommand = <Out extends object>(
  operation: Operation<Shape, Out>,
  argument: string,
  examples: readonly string[],
): CommandDefinition =>
  command({
    words: `show <${argument}>`,
    about: operation.about,
    takes: [...DATABASE, 'json'],
    examples,
    async run([id = ''], { json, ...database }) {
      const show = (store: Store) => perform(operation, store, {}, { id });
      const record = await withStore(database, show, 'read');
      if (json) return printJson(record);
      for (const [name, value] of Object.entries(record))
        process.stdout.write(`${name}: ${shownValue(value)}\n`);
    },
  });

/** The command that does an operation on one record, and says so. */
export const actCommand = <Out>(
  operation: Operation<Shape, Out>,
  argument: string,
  saysOf: (id: string) => string,
): CommandDefinition =>
  command({
    words: `${operation.words.split(' ')[1]} <${argument}>`,
    about: operation.about,
    takes: [...DATABASE],
    async run([id = ''], database) {
      await withStore(database, (store) => perform(operation, store, {}, { id }), 'change');
      say(saysOf(id));
    },
  });
