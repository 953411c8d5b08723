// The body of a delivery for chat: one sentence a message, as Slack, Mattermost and the like take it. It
// names only what is still so when it is sent.

import type { EventName } from '@linecard/client/contract/list';
import { PAYMENTS_DUE } from '@linecard/client/contract/webhooks';
import { count as counted } from '@linecard/client/contract/wording';
import { completeText } from '../lists/fields.ts';
import { type ListName, tables } from '../store/tables.ts';
import type { Webhook } from '../store/webhooks/webhooks.ts';
import type { PageItem } from './entries.ts';
import type { Step, StepKind } from './steps.ts';

/** Most items that a sentence names. */
export const MAX_NAMED = 10;

/** What happened to one item, and to several. */
const SENTENCES: Readonly<Record<StepKind, readonly [one: string, several: string]>> = {
  added: ['was added', 'were added'],
  removed: ['was removed', 'were removed'],
  spam_flagged: ['was flagged as spam', 'were flagged as spam'],
  spam_cleared: ['is no longer flagged as spam', 'are no longer flagged as spam'],
  status_changed: ['has a new status', 'have a new status'],
  subscription_changed: ['has a new subscription status', 'have a new subscription status'],
  charges_changed: ['has new charges', 'have new charges'],
  changed: ['changed', 'changed'],
  replaced: ['is on the list, which was replaced', 'are on the list, which was replaced'],
  [PAYMENTS_DUE]: ['is due for payment within 7 days', 'are due for payment within 7 days'],
};

type Item = Readonly<Record<string, unknown>>;

/** Whether what happened still holds, where an item shows that. */
const STILL: Readonly<Partial<Record<EventName, (item: Item | null) => boolean>>> = {
  removed: (item) => item === null,
  spam_flagged: (item) => item?.['is_spammed'] === true,
  spam_cleared: (item) => item?.['is_spammed'] === false,
};
const isThere = (item: Item | null) => item !== null;

export function isStill(kind: StepKind, { item }: PageItem): boolean {
  const holds = STILL[kind as EventName] ?? isThere;
  return holds(item === null ? null : (JSON.parse(completeText(item)) as Item));
}

/** What people know an item by. */
export const labelOf = (list: ListName, { item, label }: PageItem): string =>
  item === null ? (label ?? '') : String((JSON.parse(completeText(item)) as Item)[tables[list].list.label]);

/** The same; a telephone number as people write it. */
async function nameOf(list: ListName, one: PageItem): Promise<string> {
  const name = labelOf(list, one);
  if (tables[list].list.searchDigits !== tables[list].list.label) return name;
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/max');
  const parsed = parsePhoneNumberFromString(name);
  return parsed?.isPossible() === true ? parsed.formatInternational() : name;
}

/** Angle brackets and ampersands have a meaning in the messages of Slack. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** @param named the first of them, by name up to `MAX_NAMED`. */
export async function sentenceBody(
  { account_id }: Pick<Webhook, 'account_id'>,
  { list, kind }: Pick<Step, 'list' | 'kind'>,
  count: number,
  named: readonly PageItem[],
  before = '',
): Promise<string> {
  const { one, title } = tables[list].list;
  const [isOne, are] = SENTENCES[kind];
  const what = count === 1 ? `1 ${one} ${isOne}` : `${counted(count)} ${title.toLowerCase()} ${are}`;
  const names = await Promise.all(named.slice(0, MAX_NAMED).map((item) => nameOf(list, item)));
  const more = names.length < count && names.length > 0 ? [...names, '…'] : names;
  const which = more.length === 0 ? '' : `: ${more.join(', ')}`;
  return JSON.stringify({ text: escaped(`${before}${what}${which} (${account_id})`) });
}

export function testSentence({ account_id }: Pick<Webhook, 'account_id'>): string {
  return JSON.stringify({ text: escaped(`Linecard can send notifications here (${account_id})`) });
}
