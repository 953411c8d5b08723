// Labels for names of the contract. A name without an entry gets a label made from it, so that additions to
// the contract read well.

import { dueField, type FieldFacts, fieldLabels, priceField, type Row } from './contract.ts';
import { shownText } from './format.ts';
import { locale, texts } from './texts.ts';

/** A field that is shown in the cell of another where their values differ. */
export const sharedCells: Readonly<Record<string, string>> = { status: 'subscription_status' };

/** Values that stand out. */
export const valueTones: ReadonlyMap<string, 'good' | 'wait' | 'bad' | 'over'> = new Map([
  ['cancelled', 'over'],
  ['released', 'over'],
  ['active', 'good'],
  ['configuration_awaiting', 'wait'],
  ['suspended', 'wait'],
  ['blocked', 'bad'],
]);

/** Whether any of its values stands out: each is then a pill. */
export const isState = ({ known = [] }: FieldFacts): boolean => known.some((value) => valueTones.has(value));

/** Events that stand out. */
export const eventTones: Readonly<Record<string, 'good' | 'wait' | 'bad'>> = {
  added: 'good',
  removed: 'wait',
  spam_flagged: 'bad',
  spam_cleared: 'good',
};

export const FREQUENCY = 'frequency';

/** Fields of money that are not charges. */
export const moneyFields: readonly string[] = [FREQUENCY, dueField];

/** A field that a card shows after another one, without a label of its own. */
export const shownAfter: Readonly<Record<string, string>> = { [FREQUENCY]: priceField };

/** Flags that stand out when set. */
export const flagTones: Readonly<Record<string, 'good' | 'bad'>> = { is_spammed: 'bad' };

/** The facets that have a chart: the first two that a list has. */
export const pictured: readonly string[] = [
  'country_codes',
  'statuses',
  'subscription_statuses',
  'frequencies',
];

/** Of an item whose price is what is billed. */
export const MONTHLY = 'monthly';
const ONE_TIME = 'one_time';
const SNAKE = /^[a-z]+(?:_[a-z]+)*$/;

function sentence(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What the texts have for a name of the contract, if anything. */
function named<T>(words: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(words, name) ? words[name] : undefined;
}

/** `next_charge_at` -> `Next charge` */
export function fieldLabel(field: string | FieldFacts): string {
  const { name, ownTitle } = typeof field === 'string' ? { name: field } : field;
  return (
    ownTitle ??
    named(fieldLabels, name) ??
    named(texts.fields, name) ??
    sentence(name.replace(/^is_/, '').replace(/_at$/, ''))
  );
}

/** In the language of the page where the contract names the value, else as it is. */
export function valueLabel(value: string): string {
  if (value === '') return texts.nothing;
  return named<string>(texts.values, value) ?? (SNAKE.test(value) ? sentence(value) : shownText(value));
}

/** How often an item is billed, after its price a month: `billed quarterly`. */
export function billedLabel(frequency: string): string {
  const label = valueLabel(frequency);
  const isNamed = named<string>(texts.values, frequency) !== undefined;
  const word = isNamed ? label.charAt(0).toLocaleLowerCase(locale) + label.slice(1) : label;
  return frequency === MONTHLY || frequency === ONE_TIME ? word : texts.details.billed(word);
}

/** Whether an item is charged once, and costs nothing a month. */
export const isOneTime = (row: Row) => row[FREQUENCY] === ONE_TIME && row[priceField] === 0;

export function eventLabel(name: string): string {
  return named(texts.events, name) ?? sentence(name);
}

const answerOf = (value: boolean) => (value ? 'yes' : 'no');

/** Where the field is named next to it. */
export function flagWord({ name }: FieldFacts, value: boolean): string {
  return named(texts.flags, name)?.[answerOf(value)] ?? texts[answerOf(value)];
}

/** Whether a flag says itself what it is: one that stands out, when set. */
export const isTelling = ({ name }: FieldFacts, value: boolean): boolean =>
  value && flagTones[name] !== undefined;

/** Where nothing else names the field. */
export function flagLabel(field: FieldFacts, value: boolean): string {
  const word = flagWord(field, value);
  return isTelling(field, value) ? word : texts.labelled(fieldLabel(field), word);
}

/** Next to the name of an item. */
export function flagMark(field: string): string {
  return named(texts.marks, field) ?? fieldLabel(field);
}
