// A range of charges, integers or telephone numbers: from one to another, inclusive; either may be open.

import { TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useShown } from '../address.tsx';
import type { FieldFacts, FilterFacts } from '../contract.ts';
import { chargeTyped, shownCharge, shownText, typedCharge } from '../format.ts';
import { faultOf, type WrongValue } from '../reading.ts';
import { texts } from '../texts.ts';
import { withFilter } from '../view.ts';
import { fieldLabel } from '../words.ts';
import { boundsOn, SIDES } from './presets.ts';

const words = texts.filters;
const EXAMPLE = 2.5;

const isCharge = ({ field }: FilterFacts) => field.kind === 'charge';

function sentenceOf(filter: FilterFacts, typed: string, { value, detail }: WrongValue): string {
  if (value === undefined) return detail;
  if (isCharge(filter)) return words.notAnAmount(typed, shownCharge(EXAMPLE, undefined));
  return filter.field.isNumber ? words.notANumber(typed) : words.notAnInteger(typed);
}

export function BoundsFilter({ field }: { readonly field: FieldFacts }) {
  const { list } = useShown();
  const own = boundsOn(list, field);
  return (
    <div className="span">
      {SIDES.map(({ tests, side }) => {
        const label = words[side];
        const filter = own.find(({ test }) => tests.some((one) => one === test));
        return filter && <Bound key={label} {...{ filter, label }} among={own} />;
      })}
    </div>
  );
}

interface BoundProps {
  readonly filter: FilterFacts;
  readonly label: string;
  /** Both sides. */
  readonly among: readonly FilterFacts[];
}

function Bound({ filter, label, among }: BoundProps) {
  const { list, view, go } = useShown();
  const stored = shownText(view.filters[filter.name] ?? '');
  const shown = isCharge(filter) ? typedCharge(stored) : stored;
  const [text, setText] = useState(shown);
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    setText(shown);
    setFault(undefined);
  }, [shown]);
  const apply = () => {
    const typed = text.trim();
    if (typed === shown) return setFault(undefined);
    const bound = typed === '' || !isCharge(filter) ? typed : chargeTyped(typed);
    const others = among.filter(({ name }) => name !== filter.name && view.filters[name] !== undefined);
    const given = Object.fromEntries<unknown>(others.map(({ name }) => [name, view.filters[name]]));
    const wrong = typed === '' ? undefined : faultOf(list, { ...given, [filter.name]: bound });
    setFault(wrong && sentenceOf(filter, typed, wrong));
    if (wrong === undefined) go(withFilter(list, view, filter.name, bound === '' ? undefined : bound));
  };
  return (
    <TextInput
      className="day"
      size="xs"
      label={label}
      aria-label={texts.labelled(fieldLabel(filter.field), label)}
      inputMode={isCharge(filter) ? 'decimal' : filter.field.isNumber ? 'tel' : 'text'}
      autoComplete="off"
      error={fault}
      errorProps={{ role: 'alert' }}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
      onBlur={apply}
    />
  );
}
