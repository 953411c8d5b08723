// The operator's own fields as data: what one is declared and changed with, and what is shown of one.

import { LANGUAGES } from '@linecard/client/contract/labels';
import {
  DERIVATIONS,
  OWN_KINDS,
  OWN_NAME_PATTERN,
  ownNameFault,
  ownTitle,
} from '@linecard/client/contract/own-fields';
import { listed } from '@linecard/client/contract/wording';
import type { Declaration } from '../store/lists/own-fields.ts';
import type { ListName } from '../store/tables.ts';
import {
  type Field,
  isLine,
  line,
  oneOfField,
  orNull,
  required,
  trueOrFalse,
  Wrong,
  withDefault,
} from './field.ts';
import { answered, EXAMPLE_TIME, LIST_NAMES, TIME } from './members.ts';
import type { Shape } from './shape.ts';

const MAX_TITLE_CHARACTERS = 100;

export const listField = oneOfField(LIST_NAMES, { about: 'The list.', example: 'virtual_numbers' });

const name: Field<string> = {
  about: 'The name: x_ and 1 to 30 of a-z, 0-9 and _. It never changes.',
  example: 'x_site',
  schema: { type: 'string', pattern: OWN_NAME_PATTERN },
  read(value) {
    const fault = typeof value === 'string' ? ownNameFault(value) : 'must be a text';
    return fault === undefined ? String(value) : new Wrong(fault);
  },
};

const kind = oneOfField(OWN_KINDS, { about: 'What its values are. It never changes.', example: 'text' });

const title = line(MAX_TITLE_CHARACTERS, {
  about: 'What people read; made of the name where there is none.',
  example: 'Site',
});

const isTitle = (value: unknown) => isLine(value, MAX_TITLE_CHARACTERS) && value.trim() !== '';

const titles: Field<Readonly<Record<string, string>>> = {
  about: `The title in other languages: ${listed(LANGUAGES)}.`,
  example: { de: 'Standort' },
  schema: { type: 'object', additionalProperties: true },
  read(value) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    const entries = isObject ? Object.entries(value) : [];
    const isKnown = entries.every(
      ([language, text]) => LANGUAGES.some((one) => one === language) && isTitle(text),
    );
    return isObject && isKnown
      ? (Object.fromEntries(entries) as Record<string, string>)
      : new Wrong(
          `must be an object with a text of at most ${MAX_TITLE_CHARACTERS} characters for each of ${listed(LANGUAGES)} that it names`,
        );
  },
};

const search = trueOrFalse({ about: 'Whether `q` looks in it as well; a text alone.', example: false });
const shown = trueOrFalse({
  about: 'Whether the console shows its column before anybody asks for it.',
  example: false,
});
const derive = orNull(
  oneOfField(DERIVATIONS, {
    about: 'How a text is filled where an import leaves it empty: the type of the number.',
    example: 'number-type',
  }),
  'for not at all',
);

export const NEW_FIELD = {
  list: required(listField, 'is missing: name the list'),
  name: required(name, 'is missing: a name such as x_site'),
  kind: required(kind, `is missing: ${listed(OWN_KINDS, 'or')}`),
  title: orNull(title, 'for none'),
  titles: orNull(titles, 'for none'),
  search: withDefault(search, false),
  shown: withDefault(shown, false),
  derive: withDefault(derive, null),
} as const;

/** What may be changed of a field. */
export const FIELD_CHANGE = {
  title: NEW_FIELD.title,
  titles: NEW_FIELD.titles,
  search,
  shown,
  derive,
} as const;

export interface FieldView {
  readonly list: ListName;
  readonly name: string;
  readonly kind: string;
  readonly title: string;
  readonly titles: Readonly<Record<string, string>>;
  readonly search: boolean;
  readonly shown: boolean;
  readonly derive: string | null;
  readonly created_at: string;
}

export function fieldView(list: ListName, own: Declaration): FieldView {
  const {
    name: named,
    kind: of,
    titles: all,
    search: isSearched,
    shown: isShown,
    derive: how,
    created_at,
  } = own;
  const about = { list, name: named, kind: of, title: ownTitle(own), titles: all };
  return { ...about, search: isSearched, shown: isShown, derive: how, created_at };
}

/** A field as it is shown. */
export const FIELD: Shape = {
  list: answered('The list.', listField.schema, 'virtual_numbers'),
  name: answered('Its name.', name.schema, 'x_site'),
  kind: answered('What its values are.', kind.schema, 'text'),
  title: answered('What people read.', title.schema, 'Site'),
  titles: answered('The title by language.', titles.schema, { en: 'Site', de: 'Standort' }),
  search: answered(search.about, search.schema, false),
  shown: answered(shown.about, shown.schema, false),
  derive: answered(derive.about, derive.schema, null),
  created_at: answered('When it was declared.', TIME, EXAMPLE_TIME),
};
