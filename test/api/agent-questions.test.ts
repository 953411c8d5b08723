// What an accountant, a support agent and a dialler's administrator ask of an agent: each question is one
// call of a tool, and its answer is right. The data are fixed, with two imports of this week.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { toolHandlers } from '../../api/agent/serve.ts';
import { Client } from '../../api/client/client.ts';
import { timestampOf } from '../../api/contract/timestamp.ts';
import { number } from '../kit/customer.ts';
import type { ModelRow } from '../kit/model.ts';
import { load, openService, type Service, stores } from '../kit/service.ts';

const ACCOUNT = 'harbour-dental';

const inDays = (days: number) => timestampOf(Date.now() + days * 86_400_000);
const dayOf = (days: number) => inDays(days).slice(0, 'YYYY-MM-DD'.length);

/** A number that is checked for spam every day. */
const checked = (id: number, did: string, values: Partial<ModelRow>) =>
  number(id, did, { spam_checked_at: inDays(-1), ...values });

const before_this_week: readonly ModelRow[] = [
  checked(1, '+442079460018', { comment: 'Front desk', next_payment_at: inDays(2) }),
  checked(2, '+442079460019', { monthly: '12', next_payment_at: inDays(20) }),
  checked(3, '+442079460020', { status: 'configuration_awaiting', activated_at: null, monthly: '0' }),
  checked(4, '+493023125010', { comment: 'Praxis Müller', status: 'blocked', next_payment_at: inDays(-10) }),
  checked(5, '+493023125011', { status: 'released', monthly: '2', next_payment_at: inDays(5) }),
  checked(6, '+33140205050', { country_code: 'FR', country: 'France', next_payment_at: inDays(40) }),
  number(8, '+442079460021', { spam_checked_at: inDays(-30), next_payment_at: inDays(40) }),
];
const CHANGES: Readonly<Record<number, Readonly<Record<string, string | boolean | null>>>> = {
  2: { is_spammed: true },
  4: { status: 'active' },
  5: { monthly: '2.25' },
  6: { spam_checked_at: null },
};
const this_week: readonly ModelRow[] = [
  ...before_this_week.map((row) => ({ ...row, ...CHANGES[row.id] })),
  checked(7, '+442079460022', { monthly: '4', next_payment_at: inDays(30) }),
];
const service = (id: number, title: string, subscription_status: string): ModelRow => ({
  ...{ account_id: ACCOUNT, id, title, service_name: title, comment: '', category: 'additional' },
  ...{ frequency: 'monthly', activation: '0', monthly: '4.5', activated_at: null },
  ...{ next_payment_at: inDays(3), subscription_status },
});
const services = [service(71, 'VPN access', 'active'), service(72, 'Music on hold', 'disabled')];

// biome-ignore lint/suspicious/noExplicitAny: what an answer has is what is tested.
type Content = Readonly<Record<string, any>>;
type Question = readonly [
  question: string,
  tool: string,
  given: Readonly<Record<string, unknown>>,
  answer: (content: Content) => unknown,
  expected: unknown,
];

const idsOf = ({ data }: Content) => data.map(({ id }: { id: number }) => id);
const eventsOf = ({ data }: Content) =>
  data.map(({ event, items }: Content) => [event, items.map(({ did }: Content) => did)]);

const ACCOUNTANT: readonly Question[] = [
  [
    'What do our numbers cost a month, and in which country?',
    'virtual_numbers_facets',
    { charges: true },
    ({ sums, facets }) => [
      sums.monthly,
      facets.country_codes.values.map(({ value, monthly }: Content) => [value, monthly]),
    ],
    [
      27.25,
      [
        ['GB', 20.5],
        ['DE', 4.5],
        ['FR', 2.25],
      ],
    ],
  ],
  [
    'What do we pay for numbers in the next seven days, and what is overdue?',
    'virtual_numbers_facets',
    { due_days: 7 },
    ({ due_by_day, overdue }) => [
      due_by_day.map(({ day, amount }: Content) => [day, amount]),
      overdue.amount,
    ],
    [
      [
        [dayOf(2), 2.25],
        [dayOf(5), 2.25],
      ],
      2.25,
    ],
  ],
  [
    'Which numbers are released and still have a payment date?',
    'virtual_numbers_list',
    { statuses: ['released'], has_next_payment: true },
    idsOf,
    [5],
  ],
  [
    'Which numbers cost four euros a month or more, the dearest first?',
    'virtual_numbers_list',
    { monthly_min: 4, sort_by: 'monthly', sort_order: 'desc' },
    idsOf,
    [2, 7],
  ],
  ['Which numbers does nobody bill?', 'virtual_numbers_list', { has_next_payment: false }, idsOf, [3]],
  [
    'How will the next invoice differ from the last one?',
    'activity',
    { events: ['added', 'removed', 'charges_changed'], at: 'this week' },
    eventsOf,
    [
      ['added', ['+442079460022']],
      ['charges_changed', ['+493023125011']],
    ],
  ],
  [
    'The invoice has these two numbers at 2.25: is that right?',
    'virtual_numbers_check',
    { numbers: ['020 7946 0018', '+44 20 7946 0019'], amounts: [2.25, 2.25] },
    ({ amounts }) => amounts.map(({ did, amount, expected }: Content) => [did, amount, expected]),
    [['+442079460019', 2.25, 12]],
  ],
];

const SUPPORT: readonly Question[] = [
  [
    'Somebody says their number is 020 7946 0018: what is it?',
    'virtual_numbers_get',
    { number: '020 7946 0018', fields: ['id', 'comment'] },
    ({ items }) => items,
    [{ id: 1, comment: 'Front desk' }],
  ],
  [
    'Is 030 999 99 99 one of theirs?',
    'virtual_numbers_get',
    { number: '030 999 99 99' },
    ({ items, note }) => [items, /^This account has no virtual number of that number\./.test(note)],
    [[], true],
  ],
  [
    'Which of their numbers is for Müller?',
    'virtual_numbers_list',
    { q: 'müller', fields: ['did'] },
    ({ data }) => data,
    [{ did: '+493023125010' }],
  ],
  [
    'Which additional services are switched off?',
    'additional_services_list',
    { subscription_statuses: 'disabled', fields: ['title'] },
    ({ data }) => data,
    [{ title: 'Music on hold' }],
  ],
  [
    'Has the status of number 4 changed in the last seven days?',
    'activity',
    { lists: ['virtual_numbers'], ids: [4], events: ['status_changed'], at: 'last 7 days' },
    ({ data }) => data.map(({ event, count }: Content) => [event, count]),
    [['status_changed', 1]],
  ],
];

const DIALLER: readonly Question[] = [
  [
    'Which ranges of British numbers does our PBX need?',
    'virtual_numbers_ranges',
    { filters: { country_codes: ['GB'] } },
    ({ data }) => data.map(({ from, to, count }: Content) => [from, to, count]),
    [['+442079460018', '+442079460022', 5]],
  ],
  [
    'Which numbers were flagged as spam this week?',
    'activity',
    { events: ['spam_flagged'], at: 'this week' },
    eventsOf,
    [['spam_flagged', ['+442079460019']]],
  ],
  [
    'Which British numbers may we call from?',
    'virtual_numbers_list',
    { country_codes: 'GB', statuses: 'active', is_spammed: false },
    idsOf,
    [1, 7, 8],
  ],
  [
    'Which numbers have never been checked for spam?',
    'virtual_numbers_list',
    { has_spam_check: false },
    idsOf,
    [6],
  ],
  ['Which were last checked over a week ago?', 'virtual_numbers_list', { spam_checked: '..7d' }, idsOf, [8]],
  [
    'How many numbers are there of each provider, less those that are released?',
    'virtual_numbers_facets',
    { statuses_exclude: ['released'] },
    ({ total, facets }) => [
      total,
      facets.providers.values.map(({ value, count }: Content) => [value, count]),
    ],
    [
      7,
      [
        ['Thameswire', 6],
        ['Kabelkiebitz', 1],
      ],
    ],
  ],
];

describe('questions to an agent', () => {
  let opened: Service;
  let call: (name: string, given: object) => Promise<Content>;

  before(async () => {
    opened = await openService(stores[0] ?? assert.fail(), {
      accounts: [ACCOUNT],
      rows: { virtual_numbers: before_this_week, additional_services: services },
    });
    await load(opened.operator, 'virtual_numbers', this_week, [ACCOUNT]);
    const url = `http://127.0.0.1:${await opened.listen()}`;
    const client = new Client({ url, token: opened.tokenOf(ACCOUNT).token });
    const tools = toolHandlers({ connect: () => client, explain: String });
    const mcpReq = { signal: new AbortController().signal };
    call = async (name, given) => {
      const params = { name, arguments: { ...given } };
      const { structuredContent, content } = await tools.call({ params }, { mcpReq });
      return structuredContent ?? assert.fail(content[0]?.text ?? '');
    };
  });
  after(() => opened.close());

  for (const [person, questions] of Object.entries({
    accountant: ACCOUNTANT,
    support: SUPPORT,
    dialler: DIALLER,
  }))
    for (const [question, tool, given, answer, expected] of questions)
      test(`${person}: ${question}`, async () => {
        assert.deepEqual(answer(await call(tool, given)), expected);
      });
});
