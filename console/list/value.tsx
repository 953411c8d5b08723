// One value for people, by its kind. Copying it from the page gives the stored value.

import { type CSSProperties, useEffect, useSyncExternalStore } from 'react';
import { dueField, type FieldFacts, type ListFacts, type Row } from '../contract.ts';
import {
  fractionDigits,
  loadNumberFormats,
  numberFormats,
  onNumberFormats,
  shownCharge,
  shownCountry,
  shownNumber,
  shownText,
} from '../format.ts';
import { Icon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { onNewDay, shownDue, shownTime, shownToday } from '../times.ts';
import {
  fieldLabel,
  flagLabel,
  flagMark,
  flagTones,
  flagWord,
  isState,
  sharedCells,
  valueLabel,
  valueTones,
} from '../words.ts';

interface ValueProps {
  readonly field: FieldFacts;
  readonly row: Row;
  readonly currency: string | undefined;
}

type Lengths = CSSProperties & Record<`--${string}`, number>;

/** Twice as wide as Latin letters: characters of East Asia. */
const WIDE = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]/g;

/** A value that cannot be shown does not take the page with it. */
export function Value(props: ValueProps) {
  try {
    return content(props);
  } catch {
    return <span className="dim">{texts.unreadable}</span>;
  }
}

function content({ field, row, currency }: ValueProps) {
  const value = row[field.name];
  if (value === null || value === undefined || value === '') return <Nothing />;
  if (typeof value === 'boolean') return <FlagValue field={field} value={value} />;
  const text = shownText(value);
  if (field.name === dueField) return <DueValue value={text} />;
  if (field.kind === 'timestamp') return <Time value={text} isStored />;
  if (field.kind === 'charge' && typeof value === 'number') {
    const style: Lengths = { '--digits': fractionDigits(value, currency) };
    return (
      <span className="money" style={style} data-exact={text}>
        {shownCharge(value, currency)}
      </span>
    );
  }
  if (field.isNumber) return <NumberValue stored={text} row={row} />;
  if (field.isCountry) return <CountryValue code={text} />;
  if (field.known !== undefined) return <SetValue isState={isState(field)} value={text} />;
  const length: Lengths = { '--length': text.replaceAll(WIDE, '  ').length };
  return (
    <span
      className="text-value"
      style={length}
      dir="auto"
      data-exact={typeof value === 'string' && value !== text ? value : undefined}
    >
      {text}
    </span>
  );
}

/** A dash, for which a screen reader says what it means. */
export function Nothing({ said = texts.nothing }: { readonly said?: string }) {
  return (
    <span className="dim">
      <span aria-hidden="true">{texts.empty}</span>
      <span className="hidden">{said}</span>
    </span>
  );
}

function FlagValue({ field, value }: { readonly field: FieldFacts; readonly value: boolean }) {
  const tone = flagTones[field.name];
  const word = flagWord(field, value);
  if (tone === undefined) return <span className={value ? undefined : 'dim'}>{word}</span>;
  if (!value) return <Nothing said={word} />;
  return (
    <span className="pill" data-tone={tone} title={fieldLabel(field)}>
      <Icon name="flag" size={13} />
      {word}
    </span>
  );
}

/** The flags of an item that stand out, as icon and word. */
export function Marks({ list, row }: { readonly list: ListFacts; readonly row: Row }) {
  return list.fields
    .filter(({ name }) => flagTones[name] === 'bad' && row[name] === true)
    .map((field) => (
      <span key={field.name} className="pill mark" data-tone="bad" title={flagLabel(field, true)}>
        <Icon name="flag" size={13} />
        {flagMark(field.name)}
      </span>
    ));
}

interface CellProps extends ValueProps {
  readonly list: ListFacts;
  /** The columns that are shown. */
  readonly fields: readonly FieldFacts[];
}

/** A field without a column, because most often it is the same as another, where it differs from that. */
export function differingField({ list, fields, field, row }: Omit<CellProps, 'currency'>) {
  const other = list.fields.find(({ name }) => name === sharedCells[field.name]);
  const isAlone = other === undefined || fields.includes(other) || row[other.name] === row[field.name];
  return isAlone ? undefined : other;
}

/** A value that the list can be filtered by is a button, whose menu does that; arrow keys lead there. */
function Filtering({ list, ...props }: ValueProps & { readonly list: ListFacts }) {
  const { field, row } = props;
  const value = row[field.name];
  const filter = list.filters.find(
    ({ field: own, isFacet, test }) => own === field && isFacet && test === 'any',
  );
  if (filter === undefined || typeof value !== 'string' || value === '') return <Value {...props} />;
  return (
    <button
      type="button"
      className="cell-value"
      tabIndex={-1}
      aria-haspopup="menu"
      data-filter={filter.name}
      data-value={value}
    >
      <Value {...props} />
    </button>
  );
}

/** The value of a column, with that of a field which has no column and differs. */
export function Cell({ fields, ...props }: CellProps) {
  const other = differingField({ fields, ...props });
  if (other === undefined) return <Filtering {...props} />;
  return (
    <span className="shared-cell">
      <Filtering {...props} />
      <span title={fieldLabel(other)}>
        <span className="hidden">{fieldLabel(other)}</span> <Filtering {...props} field={other} />
      </span>
    </span>
  );
}

/** Renders again when a day begins: a page that is left open says `today` of another day. */
export function useToday(): void {
  useSyncExternalStore(onNewDay, shownToday);
}

function DueValue({ value }: { readonly value: string }) {
  useToday();
  const { words, day, full, isOverdue } = shownDue(value);
  return (
    <time dateTime={value} title={full} className="time" data-exact={value}>
      <span data-overdue={isOverdue || undefined}>{words}</span> <span className="dim">{day}</span>
    </time>
  );
}

/** @param isStored is under the pointer, and what is copied, instead of the date in words */
export function Time({ value, isStored = false }: { readonly value: string; readonly isStored?: boolean }) {
  const { day, time, full } = shownTime(value);
  const stored = isStored && { title: `${value} (UTC)`, 'data-exact': value };
  return (
    <time dateTime={value} title={full} className="time" {...stored}>
      {day} <span className="dim">{time}</span>
    </time>
  );
}

/** Numbers are shown as stored until their formats are loaded, and then again. */
export function useNumberFormats(): void {
  useSyncExternalStore(onNumberFormats, numberFormats);
  useEffect(() => void loadNumberFormats().catch(() => {}), []);
}

/** The country code, and the number in the format of its country. */
function NumberValue({ stored, row }: { readonly stored: string; readonly row: Row }) {
  const code = row['country_code'];
  // Rows that are already rendered get the formats when they are loaded.
  const shown = useSyncExternalStore(onNumberFormats, () => shownNumber(stored));
  return (
    <span className="number">
      {typeof code === 'string' && code !== '' && <Code code={code} />}
      <span data-exact={stored} className="digits">
        {shown}
      </span>
    </span>
  );
}

function Code({ code }: { readonly code: string }) {
  return (
    <abbr className="code" title={shownCountry(code)}>
      {code}
    </abbr>
  );
}

function CountryValue({ code }: { readonly code: string }) {
  return (
    <span className="number">
      <Code code={code} />
      <span>{shownCountry(code)}</span>
    </span>
  );
}

function SetValue({ isState, value }: { readonly isState: boolean; readonly value: string }) {
  if (!isState) return <span data-exact={value}>{valueLabel(value)}</span>;
  return (
    <span className="pill" data-tone={valueTones.get(value) ?? 'plain'} data-exact={value}>
      {valueLabel(value)}
    </span>
  );
}
