// Generates TypeScript interfaces of the lists, so that editors show the description of each field and
// parameter. Everything comes from the contract; tools/docs.ts writes the files.

import { envelope, lists } from '../api/contract/contract.ts';
import { DUE_DAYS, facetFilters, summedFields } from '../api/contract/facets.ts';
import type { Field, List } from '../api/contract/list.ts';
import { inPascalCase, itemName } from '../api/contract/wording.ts';
import { facetsSchema } from '../api/openapi/facet-schemas.ts';
import type { Parameter } from '../api/openapi/page-parameters.ts';
import { parametersOf } from '../api/openapi/parameters.ts';
import { itemSchema } from '../api/openapi/schemas.ts';

/** The same as in biome.json. */
const LINE_WIDTH = 110;
/** The default maximum, as it reads after "at most". */
const USUAL_PAGE_LIMIT = '1,000 unless the operator of the deployment chose another limit';
const USUAL_MAX_PAGE_SIZE = 1_000;

const VALUES =
  'Charges have at most six fractional digits; timestamps are texts such as 2026-11-20T09:30:00.000000Z, always in UTC.';
const HEADER = 'Made from the contract by `npm run docs`: change that instead.';

function comment(text: string, indent = ''): string {
  const single = `${indent}/** ${text} */`;
  if (single.length <= LINE_WIDTH) return single;
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`;
    if (indent.length + ' *'.length + longer.length <= LINE_WIDTH) lines[lines.length - 1] = longer;
    else lines.push(` ${word}`);
  }
  return [`${indent}/**`, ...lines.map((line) => `${indent} *${line}`), `${indent} */`].join('\n');
}

function union(head: string, types: readonly string[], indent = ''): string {
  const single = `${indent}${head} ${types.join(' | ')};`;
  if (types.length === 1 || single.length <= LINE_WIDTH) return single;
  return `${indent}${head}\n${types.map((type) => `${indent}  | ${type}`).join('\n')};`;
}

interface Member {
  readonly name: string | number;
  readonly about: string;
  readonly types: readonly string[];
}

/** Members with their comments; `mark` follows each name, `before` precedes it. */
function members(all: readonly Member[], { before = '', mark = '', indent = '  ' } = {}): string {
  return all
    .map(({ name, about, types }) => {
      return `${comment(about, indent)}\n${union(`${before}${name}${mark}:`, types, indent)}`;
    })
    .join('\n');
}

function declared(about: string, head: string, body: string): string {
  return `${comment(about)}\nexport interface ${head} {\n${body}\n}\n`;
}

const OWN_ABOUT = 'What the operator declared: `fields()` has the names and kinds.';
const OWN_FILTERS = 'Filters of what the operator declared: `x_site`, `x_cost_min`, `has_x_last_call`.';

const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`);

/** The values of a field that is not null. */
function typesOf({ kind, known }: Field): string[] {
  if (kind === 'integer' || kind === 'charge') return ['number'];
  if (kind === 'flag') return ['boolean'];
  // Open sets suggest known values and accept any text.
  return known === undefined ? ['string'] : [...quoted(known), '(string & {})'];
}

/** The operator's own fields: members of any name of a pattern. */
function indexed(about: string, names: string, types: string, before: string): string {
  const indent = before.replace('readonly ', '');
  return `${comment(about, indent)}\n${before}[own: ${names}]: ${types};`;
}

function itemInterface(list: List): string {
  const fields = Object.entries(list.fields).map(([name, field]) => ({
    name,
    about: field.about,
    types: [...typesOf(field), ...(field.nullable === true ? ['null'] : [])],
  }));
  const about = `${itemSchema(list).description} ${VALUES}`;
  const own = indexed(OWN_ABOUT, 'OwnName', 'OwnValue', '  ');
  return declared(about, itemName(list), `${members(fields)}\n${own}`);
}

function parameterTypes(list: List, { name, schema }: Parameter): string[] {
  if (name === 'sort_by') return [`${inPascalCase(list.title)}SortKey`];
  if (schema.enum !== undefined) return quoted(schema.enum.map(String));
  if (schema.type === 'boolean') return ['boolean'];
  if (schema.type === 'integer' || schema.type === 'number') return ['number'];
  if (schema.type !== 'array') return ['string'];
  const fieldName = list.filters[name]?.field ?? '';
  const field = list.fields[fieldName];
  if (field?.known !== undefined) return [`readonly ${itemName(list)}['${fieldName}'][]`];
  return [schema.items?.type === 'integer' ? 'readonly number[]' : 'readonly string[]'];
}

function defaultOf({ name, schema }: Parameter): string {
  return schema.default === undefined || name === 'page_size'
    ? ''
    : ` By default \`${String(schema.default)}\`.`;
}

/** The parameters in layers: each interface extends the one before. */
function queryInterfaces(list: List): string {
  const things = list.title.toLowerCase();
  const name = inPascalCase(list.title);
  // `fields` determines the type of items, so calls take it separately from the query.
  const parameters = parametersOf(list, USUAL_MAX_PAGE_SIZE, 'page', USUAL_PAGE_LIMIT).filter(
    (parameter) => parameter.name !== 'fields',
  );
  const layer = (about: string, head: string, belongs: (parameter: Parameter) => boolean) => {
    const own = parameters.filter(belongs).map((parameter) => ({
      name: parameter.name,
      about: parameter.about + defaultOf(parameter),
      types: [...parameterTypes(list, parameter), 'undefined'],
    }));
    const body = members(own, { before: 'readonly ', mark: '?' });
    const isBase = head === `${name}Filters`;
    return declared(
      about,
      head,
      isBase ? `${body}\n${indexed(OWN_FILTERS, 'OwnFilter', 'OwnGiven', '  readonly ')}` : body,
    );
  };
  return [
    `${comment(`What ${things} can be sorted by: a field, or another name for one.`)}\nexport type ${name}SortKey = keyof typeof ${list.name}.sorts | OwnName;\n`,
    layer(
      `Which ${things}: what their facets take. Filters combine with AND, the values inside one with OR; one that is \`undefined\`, or an empty list, is off. Timestamps are RFC 3339 texts, see \`timestampOf\`.`,
      `${name}Filters`,
      ({ group }) => group === 'filter' || group === 'search',
    ),
    layer(
      `Which ${things}, in which order: what an export of them takes.`,
      `${name}Selection extends ${name}Filters`,
      ({ group }) => group === 'order',
    ),
    layer(
      `Which ${things}, in which order, and in pages of which size: what a walk over them takes.`,
      `${name}Walk extends ${name}Selection`,
      (parameter) => parameter.name === 'page_size',
    ),
    layer(
      `Which ${things}, in which order, and which page of them: what a page takes.`,
      `${name}Query extends ${name}Walk`,
      (parameter) => parameter.group === 'page' && parameter.name !== 'page_size',
    ),
  ].join('\n');
}

const object = (all: readonly Member[], index?: string) =>
  `{\n${[members(all, { before: 'readonly ', indent: '    ' }), ...(index === undefined ? [] : [index])].join('\n')}\n  }`;

function facetsInterface(list: List): string {
  const { title = '', description = '', properties = {} } = facetsSchema(list);
  const sums = summedFields(list).map((name) => {
    return { name, about: list.fields[name]?.about ?? '', types: ['number'] };
  });
  const facets = facetFilters(list).map((name) => {
    const field = list.filters[name]?.field ?? '';
    const what = `Which values \`${field}\` has: the values to give to \`${name}\`.`;
    return { name, about: what, types: [`Facet<${itemName(list)}['${field}']>`] };
  });
  const all = Object.entries({ sums, facets }).map(([name, own]) => {
    const of = name === 'sums' ? 'number' : 'Facet<string> | Facet<boolean>';
    const index = indexed(OWN_ABOUT, 'OwnName', of, '    readonly ');
    return { name, about: properties[name]?.description ?? '', types: [object(own, index)] };
  });
  const head = `${title} extends ListFacets`;
  return declared(description, head, members(all, { before: 'readonly ' }));
}

function listInterface(list: List): string {
  const name = inPascalCase(list.title);
  const things = list.title.toLowerCase();
  const types = [
    { name: 'item', about: `One ${list.one}.`, types: [itemName(list)] },
    { name: 'filters', about: 'What facets take.', types: [`${name}Filters`] },
    { name: 'selection', about: 'What an export takes.', types: [`${name}Selection`] },
    { name: 'walk', about: 'What a walk takes.', types: [`${name}Walk`] },
    { name: 'query', about: 'What a page takes.', types: [`${name}Query`] },
    { name: 'facets', about: 'What facets give.', types: [`${name}Facets`] },
  ];
  return declared(`What the calls for ${things} take and give.`, name, members(types));
}

const moduleOf = (line: string) => line.slice(line.indexOf("'"));
/** As the formatter sorts imports. */
const compareModules = (a: string, b: string) => (moduleOf(a) < moduleOf(b) ? -1 : 1);

export function listTypes(list: List): string {
  return [
    `// ${list.title} as types. ${HEADER}\n`,
    ...[
      `import type { ${list.name} } from '../contract/${list.name.replaceAll('_', '-')}.ts';`,
      "import type { Facet } from '../contract/facets.ts';",
      "import type { OwnFilter, OwnGiven, OwnName, OwnValue } from '../contract/own-fields.ts';",
    ].toSorted(compareModules),
    "import type { ListFacets } from './answers.ts';\n",
    itemInterface(list),
    queryInterfaces(list),
    facetsInterface(list),
    listInterface(list),
  ].join('\n');
}

/** What the answers of both lists have. */
export function answerTypes(): string {
  const page = Object.entries(envelope).map(([name, about]) => {
    return { name, about, types: [name === 'data' ? 'Item[]' : 'number'] };
  });
  const { properties = {} } = facetsSchema(lists.virtual_numbers);
  const facet = (name: string, ...types: string[]) => {
    return { name, about: properties[name.replace('?', '')]?.description ?? '', types };
  };
  const due = DUE_DAYS.map((days) => {
    return { name: days, about: `What falls due within ${days} days from now.`, types: ['Due'] };
  });
  const facets = [
    facet('total', 'number'),
    facet('currency', 'string', 'null'),
    facet('due', object(due)),
    facet('overdue?', 'Payments'),
    facet('due_by_day?', 'readonly DayPayments[]'),
  ];
  return [
    `// The answers of any list as types. ${HEADER}\n`,
    "import type { DayPayments, Due, Payments } from '../contract/facets.ts';\n",
    declared(
      'A page as an answer carries it: exactly these fields, in this order.',
      'PageOf<Item>',
      members(page),
    ),
    declared('What the facets of any list have.', 'ListFacets', members(facets, { before: 'readonly ' })),
  ].join('\n');
}
