// The field of the palette until the palette is loaded: what is typed meanwhile is searched for then.

import { useLayoutEffect } from 'react';
import { mustChoose } from '../session.ts';
import { texts } from '../texts.ts';
import { takeFocus } from './focus.ts';
import { useKeysOf } from './keys.ts';

/** How the palette was opened. */
export interface Opening {
  /** What has been typed before it was loaded. */
  typed: string;
  /** What had the focus. */
  readonly from: Element | null;
}

export interface PaletteProps {
  readonly opening: Opening;
  readonly onClose: () => void;
}

/** What an operator without an account can search for, or a customer. */
export const asksFor = () => (mustChoose() ? texts.accounts.search : texts.palette.placeholder);

export function PaletteField({ opening, onClose }: PaletteProps) {
  useKeysOf({ Escape: onClose });
  useLayoutEffect(
    () => () => {
      if (opening.from instanceof HTMLElement) opening.from.focus();
    },
    [opening],
  );
  const { label } = texts.palette;
  return (
    <div role="dialog" aria-modal="true" aria-label={label} className="palette palette-soon">
      <input
        className="palette-input"
        aria-label={label}
        placeholder={asksFor()}
        autoComplete="off"
        spellCheck={false}
        ref={takeFocus}
        onInput={({ currentTarget }) => {
          opening.typed = currentTarget.value;
        }}
      />
    </div>
  );
}
