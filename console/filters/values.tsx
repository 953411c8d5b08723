// A filter whose values are typed or pasted: ids, or numbers, one or many.

import { TextInput } from '@mantine/core';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { useShown } from '../address.tsx';
import { type FilterFacts, faultOf } from '../contract.ts';
import { texts } from '../texts.ts';
import { valuesOf, withFilter } from '../view.ts';
import { filterLabel } from './words.ts';

const BETWEEN = /[,;\n\t]+/;
const INTEGER = /^\d{1,15}$/;

export function ValuesFilter({ filter }: { readonly filter: FilterFacts }) {
  const { list, view, go } = useShown();
  const shown = valuesOf(view, filter.name).join(', ');
  const [text, setText] = useState(shown);
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    setText(shown);
    setFault(undefined);
  }, [shown]);
  const label = filterLabel(filter);

  const apply = () => {
    const given = text.split(BETWEEN).map((one) => one.trim());
    const values = given.filter((one) => one !== '');
    const numbers = filter.field.kind === 'integer' && values.every((one) => INTEGER.test(one));
    const value = numbers ? values.map(Number) : values;
    const wrong = faultOf(list, { [filter.name]: value });
    setFault(wrong);
    if (wrong === undefined && values.join(', ') !== shown) go(withFilter(list, view, filter.name, value));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') apply();
  };
  return (
    <fieldset className="facet">
      <legend>{label}</legend>
      <TextInput
        size="sm"
        aria-label={texts.filters.values(label)}
        placeholder={texts.filters.valuesHint}
        error={fault}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={apply}
      />
    </fieldset>
  );
}
