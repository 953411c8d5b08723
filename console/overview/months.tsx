// What is due by calendar month, of each list and in all: overdue, the rest of this month, the next three.

import { useMediaQuery } from '@mantine/hooks';
import { ViewLink } from '../address.tsx';
import { EMPTY_VIEW, type ListFacts } from '../contract.ts';
import { isPriced, type Payments, paymentsIn, sumOf, type Time, viewIn } from '../figures.ts';
import { plural, shownCharge, shownCount, shownSum } from '../format.ts';
import { Panel } from '../glance/shares.tsx';
import { texts } from '../texts.ts';
import { type Counted, monthRows } from './money.ts';

const words = texts.overview;
/** Longer amounts are below each other on a phone. */
const SHORT_AMOUNT = 9;
/** Here all are: three short ones are wider than this, with the names of the lists above them. */
const NARROWEST = '(max-width: 24em)';

interface MonthsProps {
  readonly all: readonly Counted[];
  readonly at: number;
  readonly currency: string | undefined;
  readonly seesCharges: boolean;
}

export function Months({ all, at, currency, seesCharges }: MonthsProps) {
  const isNarrowest = useMediaQuery(NARROWEST, window.matchMedia(NARROWEST).matches);
  const said = (paid: Payments) => {
    if (!seesCharges) return shownCount(paid.count);
    return isPriced(paid) ? shownSum(paid.amount, currency) : plural(words.payments, paid.count);
  };
  const exact = (paid: Payments) =>
    seesCharges && isPriced(paid) ? shownCharge(paid.amount, currency) : undefined;
  // Where the cells are counts, they are it once.
  const title = seesCharges ? words.byMonth : texts.labelled(words.byMonth, texts.compare.payments);
  const rows = monthRows(at).map(({ label, time }) => {
    const each = all.map(({ list, facets }) => ({ list, paid: paymentsIn(facets, time) }));
    return { label, time, each, sum: sumOf(each.map(({ paid }) => paid)) };
  });
  const amounts = rows.flatMap(({ each, sum }) => [...each.map(({ paid }) => paid), sum].map(said));
  const isLong = all.length > 1 && (isNarrowest || amounts.some(({ length }) => length > SHORT_AMOUNT));
  return (
    <Panel title={title} className="panel-months">
      <table className="months" data-long={isLong || undefined}>
        <Head all={all} />
        <tbody>
          {rows.map(({ label, time, each, sum }) => {
            const isLate = time.kind === 'overdue' && sum.count > 0;
            return (
              <tr key={label} data-late={isLate || undefined}>
                <th scope="row">
                  {label}
                  {seesCharges && <small className="dim">{plural(words.payments, sum.count)}</small>}
                </th>
                {each.map(({ list, paid }) => (
                  <td key={list.name} title={exact(paid)}>
                    <ListName>{list.title}</ListName>
                    <MonthLink {...{ list, time, label, paid }} said={said(paid)} />
                  </td>
                ))}
                {all.length > 1 && (
                  <td title={exact(sum)}>
                    <ListName>{words.total}</ListName>
                    {sum.count === 0 ? texts.empty : said(sum)}
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </Panel>
  );
}

function Head({ all }: Pick<MonthsProps, 'all'>) {
  return (
    <thead>
      <tr>
        <th scope="col">
          <span className="hidden">{words.time}</span>
        </th>
        {all.map(({ list }) => (
          <th key={list.name} scope="col">
            {list.title}
          </th>
        ))}
        {all.length > 1 && <th scope="col">{words.total}</th>}
      </tr>
    </thead>
  );
}

/** Where the table has no head. */
function ListName({ children }: { readonly children: string }) {
  return (
    <span className="months-list" aria-hidden="true">
      {children}
    </span>
  );
}

interface MonthLinkProps {
  readonly list: ListFacts;
  readonly time: Time;
  readonly label: string;
  readonly paid: Payments;
  readonly said: string;
}

function MonthLink({ list, time, label, paid, said }: MonthLinkProps) {
  if (paid.count === 0) return texts.empty;
  const name = `${list.title}, ${texts.labelled(label, said)}`;
  return (
    <ViewLink list={list} view={viewIn(list, EMPTY_VIEW, time)} aria-label={name}>
      {said}
    </ViewLink>
  );
}
