// The list on a narrow screen: a card for each item, linked to its details.

import { useShown, ViewLink } from '../address.tsx';
import type { FieldFacts, Row } from '../contract.ts';
import { shownText } from '../format.ts';
import { texts } from '../texts.ts';
import { fieldLabel, flagTones } from '../words.ts';
import { columnsOf, headline } from './columns.ts';
import { useGrowing } from './growing.ts';
import type { RowsProps } from './table.tsx';
import { differingField, Marks, Value } from './value.tsx';

const SKELETON_CARDS = 6;

function placeOf(field: FieldFacts, first: string, search: readonly string[]) {
  if (field.name === first) return 'head';
  if (search.includes(field.name)) return 'note';
  return field.name in flagTones ? 'mark' : 'fact';
}

const isShown = (field: FieldFacts, row: Row) => {
  const value = row[field.name];
  return value !== null && value !== '' && value !== false;
};

export function Cards({ shown, currency, isLoading }: RowsProps) {
  const { list, view } = useShown();
  const { view: ownView, changed } = shown;
  const { first, rest, isWhole } = useGrowing(shown);
  const rows = isWhole ? [...first, ...rest.rows] : first;
  const fields = columnsOf(list, view);
  const at = (place: string) =>
    fields.filter((field) => placeOf(field, headline(list), list.search) === place);
  const facts = (row: Row) =>
    at('fact').flatMap((field) => {
      const other = differingField({ list, fields, field, row });
      return other === undefined ? field : [field, other];
    });
  return (
    <ul className="cards" aria-label={list.title} aria-busy={isLoading}>
      {rows.map((row) => (
        <li key={row.id} className="card" data-changed={changed.has(row.id) || undefined}>
          <div className="card-top">
            <ViewLink list={list} view={ownView} id={row.id} className="card-link">
              {at('head').map((field) => (
                <Value key={field.name} field={field} row={row} currency={currency} />
              ))}
              {changed.has(row.id) && <span className="hidden"> ({texts.table.changed})</span>}
            </ViewLink>
            <Marks list={list} row={row} />
            {at('note')
              .filter((field) => isShown(field, row))
              .map((field) => (
                <p key={field.name} className="card-note" dir="auto">
                  {shownText(row[field.name])}
                </p>
              ))}
          </div>
          <dl className="card-facts">
            {facts(row).map((field) => (
              <div key={field.name}>
                <dt>{fieldLabel(field.name)}</dt>
                <dd>
                  <Value field={field} row={row} currency={currency} />
                </dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}

export function CardsSkeleton() {
  return (
    <div className="cards" aria-busy="true" role="status" aria-label={texts.loading}>
      {Array.from({ length: SKELETON_CARDS }, (_, i) => i).map((n) => (
        <div key={n} className="card">
          <span className="bone" data-wide />
          <span className="bone" />
          <span className="bone" data-wide />
        </div>
      ))}
    </div>
  );
}
