// The tool of an agent that reads what has happened, page by page.

import { type ActivityQuery, activity } from '../contract/activity.ts';
import {
  MAX_ANSWER_CHARACTERS,
  MAX_PAGE_SIZE,
  paramsOf,
  propertiesOf,
  Refused,
  SPAN,
  type Tool,
  takes,
  weightOf,
} from './input.ts';
import { readSpan, SPAN_FORM } from './times.ts';

/** Without `at`, everything that is known. */
export const activityTool: Tool = {
  name: 'activity',
  title: 'What has happened',
  description: 'What happened to items, newest first, by import. `since`: from when on everything is known.',
  input: takes({
    ...propertiesOf(activity, ['filter'], ['lists', 'events', 'ids']),
    at: SPAN,
    cursor: { type: 'string', description: 'From the answer before: what was earlier' },
  }),
  async read(client, { at, ...given }, signal) {
    const bounds = at === undefined ? {} : typeof at === 'string' ? readSpan(at) : undefined;
    if (bounds === undefined) throw new Refused(`at must be ${SPAN_FORM}.`);
    const params: ActivityQuery = paramsOf(activity, { ...given, ...bounds }, 'activity');
    // Entries with long ids are long: the page gets smaller until it fits.
    for (let page_size = MAX_PAGE_SIZE; ; page_size = Math.floor(page_size / 2)) {
      const page = await client.activity({ ...params, page_size }, { signal });
      const { data, since, next: cursor } = page;
      const answer = { since, ...(cursor === undefined ? {} : { cursor }), data };
      if (page_size === 1 || weightOf(answer) <= MAX_ANSWER_CHARACTERS) return answer;
    }
  },
};
