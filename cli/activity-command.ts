// The command `linecard activity` and its options. What it does is in activity.ts.

import { readPastTime, TIME_FORM } from '@linecard/client/agent/times';
import { activity } from '@linecard/client/contract/activity';
import type { Field } from '@linecard/client/contract/list';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { type CommandDefinition, outputOf, outputOption, TIMES } from './list-commands.ts';
import { integerOrText } from './list-options.ts';
import { ACCOUNT_OPTION, type OptionDefinition, OptionFault, paramsOf, valuesOf } from './options.ts';
import { WrongUsage } from './outcome.ts';

/** What is shown where nothing says since when. */
const USUAL_SINCE = '7d ago';
const GROUP = 'Which entries';
const LIST = 'list';
const OUTPUTS = ['table', 'json', 'ndjson'] as const;

/** Names are typed with dashes, as options are, or as the API has them. */
function namesOption(name: 'lists' | 'events', { known = [] }: Field, about: string): OptionDefinition {
  return {
    name,
    group: GROUP,
    value: '<names>',
    about: `${about}: ${known.join(', ')}`,
    values: known,
    many: true,
    sets(texts, params) {
      params[name] = valuesOf(texts).map((text) => text.replaceAll('-', '_'));
    },
  };
}

function timeOption(name: string, side: 'from' | 'to', about: string): OptionDefinition {
  return {
    name,
    group: GROUP,
    value: '<time>',
    about,
    values: ['today', 'yesterday', 'this-week', 'this-month'],
    sets([text = ''], params) {
      const time = readPastTime(text, side);
      if (time === undefined) throw new OptionFault(`must be ${TIME_FORM}, but was "${text}"`);
      if (side === 'from' && time > timestampOf())
        throw new OptionFault(`must not be in the future, but was "${text}"`);
      params[side] = time;
    },
  };
}

const activityOptions: readonly OptionDefinition[] = [
  timeOption('since', 'from', `what happened at this time or later, default "${USUAL_SINCE}"`),
  timeOption('until', 'to', 'what happened at this time or earlier'),
  namesOption('events', activity.fields.event, 'only these events, default all but changed'),
  namesOption('lists', activity.fields.list, 'only these lists'),
  {
    name: 'ids',
    group: GROUP,
    value: '<ids>',
    about: 'only items of these ids, of the list that --lists names',
    many: true,
    sets(texts, params) {
      params['ids'] = valuesOf(texts).map(integerOrText);
    },
  },
];

export const activityCommand: CommandDefinition = {
  words: ['activity'],
  // As the lists have it.
  takes: `[${LIST}]`,
  args: [LIST],
  about: 'Show what happened to the items of the account, newest first.',
  options: [
    ...activityOptions,
    outputOption(OUTPUTS, 'table, json (an array) or ndjson (one object a line), default table'),
    ACCOUNT_OPTION,
  ],
  examples: [
    'linecard activity --since yesterday',
    'linecard activity --since "this month" --events spam-flagged,spam-cleared',
    'linecard activity --lists virtual-numbers --ids 48151 --since "30d ago"',
  ],
  notes: TIMES,
  async run(given, [word = LIST], signal) {
    if (word !== LIST)
      throw new WrongUsage(
        `There is no command activity ${word}. Write \`linecard activity\`, or \`linecard activity ${LIST}\`.`,
      );
    const output = outputOf(given, OUTPUTS) ?? 'table';
    const params = paramsOf(activityOptions, new Map([['since', [USUAL_SINCE]], ...given]));
    const { showActivity } = await import('./activity.ts');
    await showActivity(params, given, output, signal);
  },
};
