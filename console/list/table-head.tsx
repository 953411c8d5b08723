// The headings of the table, which sort it, and its placeholder.

import { UnstyledButton } from '@mantine/core';
import { useShown } from '../address.tsx';
import type { FieldFacts, Row } from '../contract.ts';
import { Icon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { sortOf, withSort } from '../view.ts';
import { fieldLabel } from '../words.ts';
import { columnsOf } from './columns.ts';
import { select, useSelectedOf } from './selection.ts';

const SKELETON_ROWS = 12;

export const isRight = ({ kind }: FieldFacts) => kind === 'charge' || kind === 'integer';

export function PageCheck({ rows }: { readonly rows: readonly Row[] }) {
  const count = useSelectedOf(rows);
  const isOn = count > 0 && count === rows.length;
  return (
    <input
      ref={(box) => {
        if (box !== null) box.indeterminate = count > 0 && !isOn;
      }}
      type="checkbox"
      className="row-check"
      aria-label={texts.select.page}
      checked={isOn}
      onChange={() => select(rows, !isOn)}
    />
  );
}

interface HeadProps {
  readonly fields: readonly FieldFacts[];
  /** Can be selected together; absent while there are none. */
  readonly rows?: readonly Row[];
}

export function Head({ fields, rows }: HeadProps) {
  const { list, view, go } = useShown();
  return (
    <thead>
      <tr>
        {fields.map((field, i) => {
          const { name, sortKey, about } = field;
          const isSorted = sortKey !== undefined && sortOf(list, view) === sortKey;
          const order = view.isDescending ? 'descending' : 'ascending';
          return (
            <th
              key={name}
              scope="col"
              data-right={isRight(field) || undefined}
              aria-sort={isSorted ? order : undefined}
            >
              <span className="row-head">
                {sortKey === undefined ? (
                  <span className="unsorted" title={about}>
                    {fieldLabel(field)}
                  </span>
                ) : (
                  <UnstyledButton
                    className="sort"
                    title={about}
                    onClick={() => go(withSort(list, view, sortKey))}
                  >
                    {fieldLabel(field)}
                    <span className="sort-mark" data-on={isSorted || undefined}>
                      <Icon name={isSorted && view.isDescending ? 'down' : 'up'} size={14} />
                    </span>
                  </UnstyledButton>
                )}
                {i === 0 && rows !== undefined && <PageCheck rows={rows} />}
              </span>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** A placeholder of the same height. */
export function TableSkeleton() {
  const { list, view } = useShown();
  const fields = columnsOf(list, view);
  const rows = Array.from({ length: Math.min(view.pageSize, SKELETON_ROWS) }, (_, i) => i);
  return (
    <table className="table" aria-busy="true" aria-label={texts.loading}>
      <Head fields={fields} />
      <tbody>
        {rows.map((row) => (
          <tr key={row}>
            {fields.map(({ name }, i) => (
              <td key={name}>
                <span className="bone" data-wide={i === 0 || undefined} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
