// The list on a narrow screen: a card for each item, linked to its details; while rows are selected, all of a
// card is its box.

import { useMediaQuery } from '@mantine/hooks';
import { useShown, ViewLink } from '../address.tsx';
import { type FieldFacts, priceField, type Row } from '../contract.ts';
import { shownText } from '../format.ts';
import { texts } from '../texts.ts';
import { billedLabel, FREQUENCY, fieldLabel, flagTones, isOneTime, shownAfter } from '../words.ts';
import { columnsOf, headline } from './columns.ts';
import { useGrowing } from './growing.ts';
import { useIsSelecting } from './selection.ts';
import { RowCheck, type RowsProps } from './table.tsx';
import { PageCheck } from './table-head.tsx';
import { differingField, Marks, Value } from './value.tsx';

const SKELETON_CARDS = 6;
/** A page is printed as a table. */
const NARROW = 'screen and (max-width: 55rem)';

export const useIsNarrow = () => useMediaQuery(NARROW, window.matchMedia(NARROW).matches) === true;

function placeOf(field: FieldFacts, first: string, search: readonly string[]) {
  if (field.name === first) return 'head';
  if (search.includes(field.name) && field.ownTitle === undefined) return 'note';
  return field.name in flagTones ? 'mark' : 'fact';
}

const isShown = (field: FieldFacts, row: Row) => {
  const value = row[field.name];
  return value !== null && value !== '' && value !== false;
};

/** What began the selection, and has the focus, goes away: a menu, which lies over the page. */
const takeFocusFromMenu = (label: HTMLElement | null): void => {
  if (document.activeElement?.matches('#console *') !== true)
    label?.querySelector('input')?.focus({ preventScroll: true });
};

export function Cards({ shown, currency, isLoading }: RowsProps) {
  const { list } = useShown();
  const { first, rest, isWhole } = useGrowing(shown);
  const isSelecting = useIsSelecting();
  const rows = isWhole ? [...first, ...rest.rows] : first;
  return (
    <>
      {isSelecting && (
        <label ref={takeFocusFromMenu} className="row cards-all">
          <PageCheck rows={shown.rows} />
          {texts.select.page}
        </label>
      )}
      <ul className="cards" aria-label={list.title} aria-busy={isLoading}>
        {rows.map((row) => (
          <Card key={row.id} {...{ row, shown, currency, isSelecting }} />
        ))}
      </ul>
    </>
  );
}

interface CardProps extends Pick<RowsProps, 'shown' | 'currency'> {
  readonly row: Row;
  readonly isSelecting: boolean;
}

function Card({ row, shown, currency, isSelecting }: CardProps) {
  const { list, view } = useShown();
  const hasChanged = shown.changed.has(row.id);
  const fields = columnsOf(list, view);
  const at = (place: string) =>
    fields.filter((field) => placeOf(field, headline(list), list.search) === place);
  return (
    <li className="card" data-changed={hasChanged || undefined}>
      <div className="row card-top">
        <ViewLink list={list} view={shown.view} id={row.id} className="card-link">
          {at('head').map((field) => (
            <Value key={field.name} {...{ field, row, currency }} />
          ))}
          {hasChanged && <span className="hidden"> ({texts.table.changed})</span>}
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
      <Facts fields={at('fact')} {...{ row, currency }} />
      {isSelecting && (
        <label className="row card-select">
          <RowCheck row={row} name={shownText(row[headline(list)])} />
        </label>
      )}
    </li>
  );
}

const isAfter = ({ name }: FieldFacts, other: FieldFacts) => shownAfter[name] === other.name;

interface FactsProps extends Pick<CardProps, 'row' | 'currency'> {
  readonly fields: readonly FieldFacts[];
}

function Facts({ fields, row, currency }: FactsProps) {
  const { list, view } = useShown();
  const columns = columnsOf(list, view);
  const facts = fields.filter((field) => !fields.some((other) => isAfter(field, other)));
  // Few items have one: it comes last, so that each of the others is in one place on every card.
  const differing = facts.flatMap((field) => differingField({ list, fields: columns, field, row }) ?? []);
  return (
    <dl className="card-facts">
      {[...facts, ...differing].map((field) => (
        <div key={field.name} data-kind={field.kind}>
          <dt>{fieldLabel(field)}</dt>
          <dd>
            {!(field.name === priceField && isOneTime(row)) && <Value {...{ field, row, currency }} />}
            {fields
              .filter((other) => isAfter(other, field))
              .map((other) => (
                <span key={other.name} className="dim" title={fieldLabel(other)}>
                  {' '}
                  <Billed {...{ row, currency }} field={other} />
                </span>
              ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** After the price a month. */
function Billed(props: Pick<CardProps, 'row' | 'currency'> & { readonly field: FieldFacts }) {
  const value = props.row[props.field.name];
  if (props.field.name !== FREQUENCY || typeof value !== 'string' || value === '')
    return <Value {...props} />;
  return <span data-exact={value}>{billedLabel(value)}</span>;
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
