// The options of the operator's own fields.

import { lists } from '@linecard/client/contract';
import { DERIVATIONS, OWN_KINDS } from '@linecard/client/contract/own-fields';
import { flag, oneOf, optional, textsOf } from './kinds.ts';

export const LIST_WORDS = Object.values(lists).map(({ name }) => name.replaceAll('_', '-'));

export const fieldOptions = {
  field_list: optional(oneOf(...LIST_WORDS), 'the list of the field, where both have one of that name', {
    option: 'list',
    value: 'list',
  }),
  kind: optional(oneOf(...OWN_KINDS), `what its values are: ${OWN_KINDS.join(', ')}`, { value: 'kind' }),
  title: optional(
    textsOf('one or more texts, each on a line of its own', undefined, '\n'),
    'what people read, such as Site; in another language with its tag before it, such as de=Standort',
    { value: 'text' },
  ),
  search: flag('q looks in it as well; a text alone'),
  no_search: flag('q does not look in it'),
  shown: flag('the console shows its column before anybody asks for it'),
  not_shown: flag('the console hides its column until somebody asks for it'),
  derive: optional(
    oneOf(...DERIVATIONS, 'none'),
    'how a text is filled where an import leaves it empty: number-type; none: not at all',
    { value: 'what' },
  ),
  all_values: flag('also where there is a value: replace what was imported', { option: 'all' }),
} as const;
