// One value for people, by its kind. Copying it from the page gives the stored value.

import { useSyncExternalStore } from 'react';
import type { FieldFacts, Row } from '../contract.ts';
import { onNumberFormats, shownCharge, shownCountry, shownNumber, shownText } from '../format.ts';
import { Icon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { shownTime } from '../times.ts';
import { fieldLabel, flagLabel, flagTones, valueLabel, valueTones } from '../words.ts';

interface ValueProps {
  readonly field: FieldFacts;
  readonly row: Row;
  readonly currency: string | undefined;
}

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
  if (typeof value === 'boolean') return <FlagValue field={field.name} value={value} />;
  const text = shownText(value);
  if (field.kind === 'timestamp') return <TimeValue value={text} />;
  if (field.kind === 'charge' && typeof value === 'number') {
    return <span className="money">{shownCharge(value, currency)}</span>;
  }
  if (field.isNumber) return <NumberValue stored={text} row={row} />;
  if (field.isCountry) return <CountryValue code={text} />;
  if (field.isOpenSet) return <SetValue field={field.name} value={text} />;
  return (
    <span
      className="text-value"
      dir="auto"
      data-exact={typeof value === 'string' && value !== text ? value : undefined}
    >
      {text}
    </span>
  );
}

function Nothing() {
  return (
    <span className="dim">
      <span aria-hidden="true">{texts.empty}</span>
      <span className="hidden">{texts.nothing}</span>
    </span>
  );
}

function FlagValue({ field, value }: { readonly field: string; readonly value: boolean }) {
  const tone = flagTones[field];
  if (tone === undefined) return <span className={value ? undefined : 'dim'}>{flagLabel(field, value)}</span>;
  if (!value) {
    return (
      <span className="dim">
        <span aria-hidden="true">{texts.empty}</span>
        <span className="hidden">{flagLabel(field, value)}</span>
      </span>
    );
  }
  return (
    <span className="pill" data-tone={tone} title={fieldLabel(field)}>
      <Icon name="flag" size={13} />
      {flagLabel(field, value)}
    </span>
  );
}

function TimeValue({ value }: { readonly value: string }) {
  const { day, time } = shownTime(value);
  return (
    <time dateTime={value} title={`${value} (${texts.details.exact})`} className="time" data-exact={value}>
      {day} <span className="dim">{time}</span>
    </time>
  );
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

function SetValue({ field, value }: { readonly field: string; readonly value: string }) {
  if (!/status$/.test(field)) return <span data-exact={value}>{valueLabel(value)}</span>;
  return (
    <span className="pill" data-tone={valueTones.get(value) ?? 'plain'} data-exact={value}>
      {valueLabel(value)}
    </span>
  );
}
