// The columns of the operator's own fields: each list has the same generic ones for every slot (schema step
// 20), so that no declaration alters a table. A column is null where nothing was imported, which statements
// read as the default of its kind.

import { chargeOf } from '@linecard/client/contract/charge';
import { fold } from '@linecard/client/contract/fold';
import type { OwnField } from '@linecard/client/contract/list';

type Stored = string | number | null;
type Value = string | number | boolean | null;

/** As a table has it: see `DerivedColumn`. */
interface OwnColumn {
  readonly name: string;
  readonly stored: string;
  readonly type: 'text' | 'bigint';
  readonly field: string;
  readonly nullable: boolean;
  readonly derive: (value: Value) => Stored;
  readonly store: (value: Value) => Stored;
}

/** A field whose value is in a column of its own; `own` if an operator has declared it. */
export interface SeparateField {
  readonly field: string;
  readonly column: string;
  readonly own: OwnField | undefined;
}

type Slotted = Pick<OwnField, 'kind' | 'slot'>;

const textColumn = (slot: number) => `own_${slot}`;
const foldedColumn = (slot: number) => `own_${slot}_folded`;
const numberColumn = (slot: number) => `own_${slot}_number`;
/** All columns of a slot. */
export const slotColumns = (slot: number): string[] => [
  textColumn(slot),
  foldedColumn(slot),
  numberColumn(slot),
];

/** The column that the others of an own field follow from. */
export const ownColumn = ({ kind, slot }: Slotted): string =>
  kind === 'text' || kind === 'timestamp' ? textColumn(slot) : numberColumn(slot);

/** What is not the default of a kind is stored. */
const unless =
  (fallback: Stored, derive: (value: Value) => Stored) =>
  (value: Value): Stored => {
    const stored = value === null ? null : derive(value);
    return stored === fallback ? null : stored;
  };

const asIs = (value: Value): Stored => (typeof value === 'boolean' ? Number(value) : value);
const foldedText = (value: Value) => fold(String(value));
const chargeText = (value: Value) => JSON.stringify(chargeOf(value as number));

/** The columns of an own field: all of them, the one that filters compare, and the one that orders it. */
export function ownColumns(own: Pick<OwnField, 'name' | 'kind' | 'slot'>) {
  const { kind, slot, name: field } = own;
  const stored = ownColumn(own);
  const type = kind === 'text' || kind === 'timestamp' ? 'text' : 'bigint';
  const of = (
    name: string,
    column: string,
    fallback: Stored,
    derive: (value: Value) => Stored,
  ): OwnColumn => {
    const ofText = column !== stored || type === 'text';
    return {
      ...{ name, field, stored: column, type: ofText ? 'text' : 'bigint' },
      ...{ nullable: fallback === null, derive, store: unless(fallback, derive) },
    };
  };
  switch (kind) {
    case 'text': {
      const exact = of(`coalesce(${stored}, '')`, stored, '', asIs);
      const ordered = of(`coalesce(${foldedColumn(slot)}, '')`, foldedColumn(slot), '', foldedText);
      return { all: [exact, ordered], filtered: exact, ordered };
    }
    case 'charge': {
      const exact = of(`coalesce(${stored}, 0)`, stored, 0, asIs);
      // As items have it.
      const written = of(textColumn(slot), textColumn(slot), '0', chargeText);
      return { all: [exact, written], filtered: exact, ordered: exact };
    }
    case 'flag': {
      const exact = of(`coalesce(${stored}, 0)`, stored, 0, asIs);
      return { all: [exact], filtered: exact, ordered: exact };
    }
    case 'timestamp':
    case 'integer': {
      const exact = of(stored, stored, null, asIs);
      return { all: [exact], filtered: exact, ordered: exact };
    }
  }
}

/** A value of an own field by what its column has. */
export function ownValue({ kind }: Slotted, stored: Stored): Value {
  switch (kind) {
    case 'text':
      return stored ?? '';
    case 'timestamp':
      return stored;
    case 'charge':
      return Number(stored ?? 0);
    case 'flag':
      return Number(stored ?? 0) === 1;
    case 'integer':
      return stored === null ? null : Number(stored);
  }
}

/** What writes JSON in a dialect: see `Dialect`. */
interface JsonDialect {
  jsonText(text: string): string;
  withEnd(json: string, end: string): string;
  joined(texts: readonly string[]): string;
}

/** The JSON text of a value of an own field, as an SQL expression. */
function ownJson({ kind, slot }: Slotted, dialect: JsonDialect, row = ''): string {
  const [text, number] = [textColumn, numberColumn].map((column) => `${row}${column(slot)}`) as [
    string,
    string,
  ];
  switch (kind) {
    case 'text':
      return dialect.jsonText(`coalesce(${text}, '')`);
    case 'timestamp':
      return `coalesce('"' || ${text} || '"', 'null')`;
    case 'charge':
      return `coalesce(${text}, '0')`;
    case 'flag':
      return `case when ${number} = 1 then 'true' else 'false' end`;
    case 'integer':
      return `coalesce(cast(${number} as text), 'null')`;
  }
}

/** What is declared of a list, and what nothing else that was declared of it has. */
interface Declared {
  readonly shape: string;
  readonly fields: readonly Pick<OwnField, 'name' | 'kind' | 'slot'>[];
}

/** The columns with the shape that a row was written for, and with how the text of its item ends by it. */
export const OWN_TEXT = ['own_shape', 'own_text'] as const;

/** Forty-eight bits of a shape: an integer costs an import less than a text. */
const shapeNumber = (shape: string) => Buffer.from(shape, 'base64url').readUIntBE(0, 6);

/** The JSON text of a value of an own field: that of `ownJson`. */
function ownText(kind: OwnField['kind'], value: Value): string {
  switch (kind) {
    case 'text':
      return JSON.stringify(value ?? '');
    case 'timestamp':
      return value === null ? 'null' : `"${value}"`;
    case 'charge':
      return chargeText(value ?? 0);
    case 'flag':
      return value === true ? 'true' : 'false';
    case 'integer':
      return String(value);
  }
}

/** What gives the values of these columns by the values of an item. */
export function ownTexts({ shape, fields }: Declared) {
  const number = shapeNumber(shape);
  return (values: Readonly<Record<string, Value>>): readonly [shape: number, text: string] => {
    let text = '';
    for (const { name, kind } of fields) text += `,"${name}":${ownText(kind, values[name] ?? null)}`;
    return [number, `${text}}`];
  };
}

/** Each request for a list needs the expression of its own fields. */
const expressions = new WeakMap<Declared, Map<JsonDialect, string>>();

/**
 * The text of an item with its own fields, as an SQL expression. A row that was written for what is declared
 * has the text; one that was written before is answered from its columns, so a declaration writes no row.
 */
export function itemWithOwn(own: Declared, dialect: JsonDialect): string {
  const byDialect = expressions.get(own) ?? new Map<JsonDialect, string>();
  expressions.set(own, byDialect);
  const known = byDialect.get(dialect);
  if (known !== undefined) return known;
  const members = own.fields.flatMap((one) => [`',"${one.name}":'`, ownJson(one, dialect)]);
  const [shape, text] = OWN_TEXT;
  const end = `case when ${shape} = ${shapeNumber(own.shape)} then ${text} else ${dialect.joined([...members, `'}'`])} end`;
  const expression = dialect.withEnd('item', end);
  byDialect.set(dialect, expression);
  return expression;
}

/** The texts of a value before and after an import, as PostgreSQL compares them with others. */
export function separateTexts({ field, column, own }: SeparateField, dialect: JsonDialect): string {
  const text = (row: string) =>
    own === undefined ? `to_json(${row}.${column})::text` : ownJson(own, dialect, `${row}.`);
  return ` union all select '${field}', ${text('stored')}, ${text('rows')}`;
}
