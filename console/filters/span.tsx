// A range of time: one that is often wanted, or from one day to another, behind a button.

import { ActionIcon } from '@mantine/core';
import { type FocusEvent, type KeyboardEvent, useState } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import type { FieldFacts } from '../contract.ts';
import { Icon } from '../icons.tsx';
import { later } from '../shell/later.tsx';
import { texts } from '../texts.ts';
import { fieldLabel } from '../words.ts';
import { presetIn, presetsOf, withRange } from './presets.ts';

const Days = later('Days', () => import('./days.tsx'), undefined, { isLikely: true });

const stepsOf = (bar: HTMLElement) => [...bar.querySelectorAll<HTMLElement>('a, button')];

/** Arrow keys go to the one before or after, Home and End to the first and last. */
function moveInBar(event: KeyboardEvent<HTMLElement>): void {
  const all = stepsOf(event.currentTarget);
  const at = all.findIndex((one) => one === document.activeElement);
  const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  all[next]?.focus();
}

export function SpanFilter({ field }: { readonly field: FieldFacts }) {
  const { list, view } = useShown();
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const presets = presetsOf(list, field);
  const chosen = presetIn(list, view, field)?.label;
  const tabIndexOf = (place: number) => (place === at ? 0 : -1);
  const onFocus = ({ target, currentTarget }: FocusEvent<HTMLElement>) =>
    setAt(stepsOf(currentTarget).indexOf(target));
  return (
    <>
      {/* One Tab stop. */}
      <div
        className="flow presets"
        role="toolbar"
        aria-label={fieldLabel(field)}
        onKeyDown={moveInBar}
        onFocus={onFocus}
      >
        {presets.map(({ label, bounds }, i) => {
          const isOn = label === chosen;
          return (
            <ViewLink
              key={label}
              list={list}
              view={withRange(list, view, field, isOn ? {} : bounds)}
              className="preset"
              tabIndex={tabIndexOf(i)}
              data-on={isOn || undefined}
              aria-label={`${fieldLabel(field)}: ${label}`}
              aria-current={isOn || undefined}
            >
              {label}
            </ViewLink>
          );
        })}
        <ActionIcon
          variant="subtle"
          tabIndex={tabIndexOf(presets.length)}
          aria-label={texts.filters.calendar(fieldLabel(field))}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="calendar" size={16} />
        </ActionIcon>
      </div>
      {isOpen && <Days field={field} onClose={() => setOpen(false)} />}
    </>
  );
}
