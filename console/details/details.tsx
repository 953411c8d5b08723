// All fields of one item. A click copies the stored value.

import { ActionIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useShown } from '../address.tsx';
import { dueField, type FieldFacts, type ListFacts, type Row } from '../contract.ts';
import { Icon } from '../icons.tsx';
import { headline } from '../list/columns.ts';
import { Value } from '../list/value.tsx';
import { itemQuery } from '../queries.ts';
import { CopyText } from '../shell/copy-text.tsx';
import { Side } from '../shell/side.tsx';
import { Trouble } from '../shell/trouble.tsx';
import { texts } from '../texts.ts';
import { shownTime } from '../times.ts';
import { useFailure, useIsSlow } from '../waiting.ts';
import { fieldLabel } from '../words.ts';

const words = texts.details;

interface DetailsProps {
  readonly id: number;
  /** The rows of the list. */
  readonly rows: readonly Row[] | undefined;
  readonly currency: string | undefined;
}

export function Details({ id, rows, currency }: DetailsProps) {
  const { list, close } = useShown();
  const shown = rows?.find((row) => row.id === id);
  const item = useQuery({ ...itemQuery(list, id, shown), enabled: shown === undefined });
  const { data, refetch, isFetching } = item;
  const failure = useFailure(item, String(id));
  const row = shown ?? data;
  const isSlow = useIsSlow(row === undefined && failure === undefined);
  return (
    <Side
      title={words.title(list.one)}
      position="right"
      size="29rem"
      className="details"
      onClose={close}
      onGone={() => linkOf(list, id) ?? document.querySelector<HTMLElement>('#list')}
    >
      <Neighbours id={id} rows={rows} />
      <div role="status">{isSlow && <p className="dim">{texts.live.slow}</p>}</div>
      {row !== undefined ? (
        <Item row={row} currency={currency} />
      ) : failure !== undefined ? (
        <Trouble error={failure.error} onAgain={() => void refetch()} isAgain={isFetching} />
      ) : (
        list.fields.map(({ name }) => <span key={name} className="bone" data-wide />)
      )}
    </Side>
  );
}

/** The link to an item in the list. */
function linkOf({ word }: ListFacts, id: number): HTMLElement | null {
  return document.querySelector<HTMLElement>(
    `#list .rows a:is([href$="/${word}/${id}"], [href*="/${word}/${id}?"])`,
  );
}

/** Buttons for the previous and the next row. */
function Neighbours({ id, rows = [] }: { readonly id: number; readonly rows: readonly Row[] | undefined }) {
  const { view, go } = useShown();
  const at = rows.findIndex((row) => row.id === id);
  if (at < 0 || rows.length < 2) return null;
  const step = (by: number, label: string, icon: 'left' | 'right') => {
    const to = rows[at + by];
    return (
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={label}
        data-disabled={to === undefined}
        aria-disabled={to === undefined}
        onClick={() => to !== undefined && go(view, { id: to.id, replace: true })}
      >
        <Icon name={icon} />
      </ActionIcon>
    );
  };
  return (
    <div className="neighbours">
      {step(-1, words.previous, 'left')}
      {step(1, words.next, 'right')}
    </div>
  );
}

function Item({ row, currency }: { readonly row: Row; readonly currency: string | undefined }) {
  const { list } = useShown();
  const first = list.fields.find(({ name }) => name === headline(list));
  const rest = list.fields.filter((field) => field !== first);
  return (
    <>
      {first !== undefined && (
        <div className="details-head">
          <CopyText value={String(row[first.name])} label={fieldLabel(first.name)}>
            <Value field={first} row={row} currency={currency} />
          </CopyText>
        </div>
      )}
      <dl className="fields">
        {rest.map((field) => (
          <div key={field.name} className="field">
            <dt title={field.about}>{fieldLabel(field.name)}</dt>
            <dd>
              <Stored field={field} row={row} currency={currency} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Stored({ field, row, currency }: { field: FieldFacts; row: Row; currency: string | undefined }) {
  const value = row[field.name];
  if (value === null || value === undefined || value === '') {
    return <Value field={field} row={row} currency={currency} />;
  }
  const exact = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return (
    <>
      <CopyText value={exact} label={fieldLabel(field.name)}>
        <Value field={field} row={row} currency={currency} />
      </CopyText>
      {field.kind === 'timestamp' && (
        <span className="exact">
          {field.name !== dueField && <span>{shownTime(exact).relative}</span>}
          <code>{exact}</code>
        </span>
      )}
    </>
  );
}
