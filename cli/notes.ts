// What is said below a table: how much it shows, in which zone its times are, in which currency its charges.

import { timeZone } from '@linecard/client/agent/times';
import { say } from './print.ts';
import { visible } from './printable.ts';
import type { Table } from './table.ts';

/** Says what is left to say; nothing where there is nothing. */
export function sayNotes({
  coverage,
  table,
  currency,
}: {
  coverage?: string;
  table: Table;
  currency: string | undefined;
}): void {
  const more = table.leftOut.length;
  const notes = [
    ...(coverage === undefined ? [] : [coverage]),
    ...(table.hasTimes ? [`Times are ${timeZone()}.`] : []),
    ...(table.hasCharges && currency !== undefined ? [`Charges are ${visible(currency)}.`] : []),
    ...(more === 0 ? [] : [`${more} more column${more === 1 ? '' : 's'} with --columns all.`]),
  ];
  if (notes.length > 0) say(notes.join(' '));
}
