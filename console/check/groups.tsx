// The outcome of a check: how many numbers are in each group, the first of them, and a file of all.

import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { priceField } from '../contract.ts';
import { save } from '../export/download.ts';
import { plural, shownCharge, shownCount, shownNumber, shownText } from '../format.ts';
import { Icon } from '../icons.tsx';
import { accountQuery } from '../queries.ts';
import { texts } from '../texts.ts';
import { shownTime } from '../times.ts';
import { fieldLabel } from '../words.ts';
import type { Found, Group } from './worker.ts';

const words = texts.check;
/** Each column of a group, with its heading: what differs is in sight on a phone. */
const COLUMNS = {
  line: words.line,
  number: words.number,
  did: fieldLabel('did'),
  amount: words.amount,
  [priceField]: fieldLabel(priceField),
  id: fieldLabel('id'),
} as const;
type Column = keyof typeof COLUMNS;
const MONEY: readonly Column[] = ['amount', priceField];
/** One below the other, with their points in line. */
const isRight = (name: Column) => MONEY.includes(name) || undefined;

interface GroupsProps {
  readonly found: Found;
  /** What was checked. */
  readonly file: string;
  /** Only some numbers of the account were compared. */
  readonly isFiltered: boolean;
}

export function Groups({ found, file, isFiltered }: GroupsProps) {
  const { as_of, inFile, onAccount, groups, faults, faultCount } = found;
  const { day, time } = shownTime(as_of);
  const isSame = faultCount === 0 && groups.every(({ name, count }) => name === 'both' || count === 0);
  return (
    <>
      <p>
        {words.summary(
          shownCount(inFile),
          isFiltered ? words.matching : words.onAccount,
          shownCount(onAccount),
          `${day}, ${time}`,
        )}
      </p>
      {isSame && <p>{words.same}</p>}
      {groups.map((group) => (
        <GroupPart key={group.name} {...{ group, file }} />
      ))}
      {faultCount > 0 && (
        <div className="check-group">
          <Heading title={words.withoutNumber} count={faultCount} />
          <ul className="check-faults">
            {faults.map(({ line, text, fault }) => (
              <li key={`${line} ${text} ${fault}`}>
                {words.line} {shownCount(line)}
                {text !== '' && (
                  <>
                    , <bdi>{texts.quoted(shownText(text))}</bdi>
                  </>
                )}
                {texts.labelled('', '')}
                <span className="dim">{fault}</span>
              </li>
            ))}
          </ul>
          {faultCount > faults.length && <p className="dim">{plural(words.first, faults.length)}</p>}
        </div>
      )}
    </>
  );
}

function Heading({ title, count }: { readonly title: string; readonly count: number }) {
  return (
    <h3>
      {title} <span className="count">{shownCount(count)}</span>
    </h3>
  );
}

function GroupPart({ group, file }: { readonly group: Group; readonly file: string }) {
  const { name, count, rows, csv } = group;
  const title = words.groups[name];
  // What is right is counted, and in its file.
  const isShown = name !== 'both' && rows.length > 0;
  return (
    <div className="check-group">
      <div className="row apart">
        <Heading {...{ title, count }} />
        {count > 0 && (
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<Icon name="download" size={14} />}
            aria-label={words.save(title)}
            onClick={() => save(csv, `${file.replaceAll(/["*/:<>?\\|]+/g, ' ')} - ${title}.csv`)}
          >
            {texts.export.csv}
          </Button>
        )}
      </div>
      {isShown && <Rows {...{ group, title }} />}
      {isShown && count > rows.length && <p className="dim">{plural(words.first, rows.length)}</p>}
    </div>
  );
}

function Rows({ group: { rows }, title }: { readonly group: Group; readonly title: string }) {
  const { data: account } = useQuery(accountQuery());
  // A number that the file has as the account does is there once.
  const columns = (Object.keys(COLUMNS) as Column[]).filter((name) =>
    rows.some((row) => (row[name] ?? '') !== '' && (name !== 'number' || row.number !== row.did)),
  );
  const cellOf = (value: string | number | null | undefined, name: Column) => {
    if (typeof value !== 'number') return name === 'did' ? shownNumber(value ?? '') : shownText(value ?? '');
    // The file does not say in which currency its amounts are.
    const currency = name === priceField ? account?.currency : undefined;
    return MONEY.includes(name) ? shownCharge(value, currency ?? undefined) : String(value);
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys
    <section className="check-rows" aria-label={title} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" data-right={isRight(name)}>
                {COLUMNS[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.line ?? ''} ${row.number ?? ''} ${row.id ?? ''}`}>
              {columns.map((name) => (
                <td key={name} dir="auto" data-right={isRight(name)}>
                  {cellOf(row[name], name)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
