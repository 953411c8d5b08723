// The accounts directly below one (docs/generated/api.md, "Accounts below accounts"), described as a list
// that is searched and paged, and neither filtered nor sorted otherwise.

import { ACCOUNTS_PATH } from './addresses.ts';
import { lists } from './contract.ts';
import { defineList, type List } from './list.ts';

const countOf = ({ title }: Pick<List, 'title'>) =>
  ({
    kind: 'integer',
    about: `How many ${title.toLowerCase()} it has; null where the token may not see them.`,
    example: 46,
    nullable: true,
    counts: true,
  }) as const;

/** How many items of each list an account has. */
const counts = Object.fromEntries(
  Object.entries(lists).map(([name, list]) => [name, countOf(list)]),
) as Readonly<Record<keyof typeof lists, ReturnType<typeof countOf>>>;

export const accounts = defineList({
  name: 'accounts',
  title: 'Accounts below',
  one: 'account below',
  about: 'The accounts directly below the one that is read.',
  path: ACCOUNTS_PATH,
  fields: {
    id: { kind: 'text', about: "The operator's own id of the account.", example: 'harbour-dental' },
    name: { kind: 'text', about: 'Its name; empty when it has none.', example: 'Harbour Dental Group' },
    currency: { kind: 'text', about: 'The currency of its charges.', example: 'EUR', nullable: true },
    ...counts,
    accounts: {
      kind: 'integer',
      about: 'How many accounts are directly below it.',
      example: 3,
      counts: true,
    },
    updated_at: {
      kind: 'timestamp',
      about: 'When anything of the account last changed.',
      example: '2026-11-20T06:00:12.482913Z',
    },
  },
  label: 'name',
  events: {},
  hidden: {},
  only: {},
  filters: {},
  search: ['id', 'name'],
  sorts: { id: 'id' },
});
