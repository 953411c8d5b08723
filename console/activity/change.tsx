// What the fields of an event were and became: `€2.25 → €2.75`.

import { useCurrency } from '../address.tsx';
import type { FieldFacts, ListFacts } from '../contract.ts';
import { shownCharge, shownText } from '../format.ts';
import type { Happened } from '../linecard.ts';
import { Nothing } from '../list/value.tsx';
import { texts } from '../texts.ts';
import { fieldLabel, valueLabel } from '../words.ts';

interface ChangeProps {
  readonly list: ListFacts;
  readonly event: string;
  /** An item of an entry. */
  readonly item: Happened['items'][number];
}

export function Change({ list, event, item: { from, to } }: ChangeProps) {
  const currency = useCurrency();
  const rule = list.eventRules[event];
  // What a flag became is what the event is called.
  if (rule === undefined || rule.to !== undefined || from === undefined || to === undefined) return null;
  return list.fields
    .filter(({ name }) => name in from && name in to)
    .map((field) => (
      <span key={field.name} className="change">
        {rule.fields.length > 1 && <span className="dim">{fieldLabel(field)}</span>}
        <Shown field={field} value={from[field.name]} currency={currency} />
        <span className="dim">
          <span aria-hidden="true">→</span>
          <span className="hidden">{texts.activity.became}</span>
        </span>
        <Shown field={field} value={to[field.name]} currency={currency} />
      </span>
    ));
}

interface ShownProps {
  readonly field: FieldFacts;
  readonly value: string | number | boolean | undefined;
  readonly currency: string | undefined;
}

/** In words, without the color that a value has where it is now. */
function Shown({ field, value, currency }: ShownProps) {
  if (value === undefined || value === '') return <Nothing />;
  if (typeof value === 'number' && field.kind === 'charge')
    return <span>{shownCharge(value, currency)}</span>;
  return (
    <span className="change-value" dir="auto">
      {valueLabel(shownText(value))}
    </span>
  );
}
