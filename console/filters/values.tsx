// A filter with typed or pasted values: ids, telephone numbers or integers, one or many.

import { TextInput } from '@mantine/core';
import { type ClipboardEvent, useEffect, useState, useSyncExternalStore } from 'react';
import { useShown } from '../address.tsx';
import type { FilterFacts } from '../contract.ts';
import { numberFormats, onNumberFormats, shownNumber } from '../format.ts';
import { faultOf, type WrongValue } from '../reading.ts';
import { texts } from '../texts.ts';
import { valuesOf, withFilter } from '../view.ts';
import { BETWEEN_NUMBERS, numbersBetween, partsBetween } from './pasted.ts';
import { filterLabel } from './words.ts';

/** Ids contain no white space. */
const BETWEEN_IDS = /[,;\s]+/;
/** Thousands would take longer than a key press may. */
const MOST_FORMATTED = 100;
const INTEGER = /^-?\d{1,15}$/;

function sentenceOf({ field }: FilterFacts, { value, detail }: WrongValue): string {
  if (value === undefined) return detail;
  if (field.kind === 'integer')
    return field.name === 'id' ? texts.filters.notAnId(value) : texts.filters.notAnInteger(value);
  return field.isNumber ? texts.filters.notANumber(value) : detail;
}

function partsOf({ field }: FilterFacts, text: string): string[] {
  if (field.isNumber) return numbersBetween(text);
  return partsBetween(text, field.kind === 'integer' ? BETWEEN_IDS : BETWEEN_NUMBERS);
}

export function ValuesFilter({ filter }: { readonly filter: FilterFacts }) {
  const { list, view, go } = useShown();
  useSyncExternalStore(onNumberFormats, numberFormats);
  const values = valuesOf(view, filter.name).map(String);
  const isFormatted = filter.field.isNumber && values.length <= MOST_FORMATTED;
  const shown = (isFormatted ? values.map(shownNumber) : values).join(', ');
  const [text, setText] = useState(shown);
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    setText(shown);
    setFault(undefined);
  }, [shown]);
  const label = filterLabel(filter);

  const apply = () => {
    const parts = partsOf(filter, text);
    const numbers = filter.field.kind === 'integer' && parts.every((one) => INTEGER.test(one));
    const value = numbers ? parts.map(Number) : parts;
    const wrong = faultOf(list, { [filter.name]: value });
    setFault(wrong && sentenceOf(filter, wrong));
    if (wrong === undefined && parts.join(', ') !== shown) go(withFilter(list, view, filter.name, value));
  };
  /** The browser would join pasted lines to one number. */
  const onPaste = (event: ClipboardEvent<HTMLInputElement>) => {
    const pasted = event.clipboardData.getData('text');
    const parts = partsOf(filter, pasted);
    if (parts.length < 2 && parts[0] === pasted.trim()) return;
    event.preventDefault();
    const input = event.currentTarget;
    const { selectionStart, selectionEnd } = input;
    const before = text.slice(0, selectionStart ?? text.length);
    const after = text.slice(selectionEnd ?? text.length);
    setText(partsOf(filter, [before, pasted, after].join(',')).join(', '));
  };
  return (
    <TextInput
      size="sm"
      label={filter.test === 'none' ? label : undefined}
      aria-label={texts.filters.values(label)}
      placeholder={texts.filters.valuesHint}
      error={fault}
      errorProps={{ role: 'alert' }}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onPaste={onPaste}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
      onBlur={apply}
    />
  );
}
