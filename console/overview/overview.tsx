// The front page: what is due, when, and what the numbers and services of the account cost.

import { useQueries, useQuery } from '@tanstack/react-query';
import { useLists, ViewLink } from '../address.tsx';
import { EMPTY_VIEW } from '../contract.ts';
import {
  addUp,
  amountOf,
  countOf,
  isPriced,
  listPriceOf,
  nextDays,
  overdueAt,
  PRESET_DAYS,
  paymentsIn,
  sumOf,
  timeLabel,
  viewIn,
} from '../figures.ts';
import { NO_BREAK, plural, shownCharge, shownItems, shownSum } from '../format.ts';
import { Flags } from '../glance/glance.tsx';
import { Panel } from '../glance/shares.tsx';
import { UtcDay } from '../glance/utc-day.tsx';
import { Icon } from '../icons.tsx';
import { BASE } from '../linecard.ts';
import { News } from '../list/news.tsx';
import { brand } from '../page.ts';
import { accountQuery, overviewQuery } from '../queries.ts';
import { AccountsPage } from '../shell/accounts.tsx';
import { OutsideLink } from '../shell/outside.tsx';
import { useTitle } from '../shell/title.ts';
import { Trouble } from '../shell/trouble.tsx';
import { texts } from '../texts.ts';
import { shownDay } from '../times.ts';
import { IN_FLIGHT, useWaiting } from '../waiting.ts';
import { type Counted, type Day, daysOf, paidIn, peakOf } from './money.ts';
import { Months } from './months.tsx';
import { Spend } from './spend.tsx';
import { Timeline } from './timeline.tsx';

const words = texts.overview;
const SENTENCE_DAYS = PRESET_DAYS[1];
const SPEND_BY = ['country_codes', 'providers'];

export function OverviewPage() {
  const lists = useLists();
  const { data: account } = useQuery(accountQuery());
  const isTree = account !== undefined && account.token.reach !== 'account';
  const isEmpty = lists.every(({ name }) => account?.[name as keyof typeof account] === 0);
  return isTree && isEmpty ? <AccountsPage none={<OwnOverview />} /> : <OwnOverview />;
}

function OwnOverview() {
  const lists = useLists();
  const account = useQuery(accountQuery());
  // Until it is known what the token sees, nothing is requested that may be refused.
  const enabled = account.data !== undefined;
  const answers = useQueries({ queries: lists.map((list) => ({ ...overviewQuery(list), enabled })) });
  useTitle(words.title);
  const all = lists.flatMap((list, i): Counted[] => {
    const facets = answers[i]?.data;
    return facets === undefined ? [] : [{ list, facets }];
  });
  const isWhole = all.length === lists.length;
  const failed = [account, ...answers].find(({ error, data }) => error !== null && data === undefined);
  const whole = { data: isWhole || undefined, error: failed?.error ?? null, isPlaceholderData: false };
  const { failure, isSlow } = useWaiting(whole, words.title);
  const at = Math.max(...answers.map(({ dataUpdatedAt }) => dataUpdatedAt));
  return (
    <main id="list" className="overview" tabIndex={-1}>
      <h1 className="hidden">{words.title}</h1>
      {isWhole && all.every(({ facets }) => facets.total === 0) ? (
        <NothingYet />
      ) : isWhole ? (
        <Overview all={all} at={at} currency={account.data?.currency ?? undefined} />
      ) : failure === undefined ? (
        <Waiting />
      ) : (
        <Trouble error={failure.error} query={failed ?? IN_FLIGHT} />
      )}
      <News {...{ isSlow, failure }} />
    </main>
  );
}

/** What to do where the account has nothing. */
function NothingYet() {
  const ways = [
    [`${BASE}/docs`, texts.reference],
    [brand.supportUrl, texts.support],
  ] as const;
  return (
    <div className="empty" role="status">
      <h2>{words.empty}</h2>
      <p>{words.emptyHint}</p>
      <ul className="flow ways-out">
        {ways.map(
          ([href, label]) =>
            href !== undefined && (
              <li key={label}>
                <OutsideLink href={href} className="way-out">
                  {label}
                </OutsideLink>
              </li>
            ),
        )}
      </ul>
    </div>
  );
}

const SOON = (
  <>
    <span className="bone" data-tall />
    <span className="bone" data-wide />
  </>
);

function Waiting() {
  return (
    <div role="status" aria-label={texts.loading} aria-busy="true">
      <div className="overview-soon">
        <span className="bone" data-tall />
        <span className="bone" />
      </div>
      <div className="overview-panels">
        <Panel title={words.timeline} className="panel-timeline">
          <div className="timeline-soon">{SOON}</div>
        </Panel>
        <Panel title={words.byMonth} className="panel-months">
          <div className="months-soon">{SOON}</div>
        </Panel>
        <Panel title={texts.compare.monthly} className="panel-price">
          {SOON}
        </Panel>
      </div>
    </div>
  );
}

interface OverviewProps {
  readonly all: readonly Counted[];
  /** When the newest answer came, in milliseconds. */
  readonly at: number;
  readonly currency: string | undefined;
}

function Overview({ all, at, currency }: OverviewProps) {
  const days = daysOf(all, at);
  const seesCharges = all.some(({ list }) => list.sums.length > 0);
  const props = { all, currency, seesCharges };
  return (
    <>
      <Sentence {...props} days={days} at={at} />
      <div className="overview-panels">
        <Timeline days={days} currency={currency} lists={all.map(({ list }) => list)} isMoney={seesCharges} />
        <Months {...props} at={at} />
        {seesCharges && <ListPrice all={all} currency={currency} />}
        {SPEND_BY.map((filter) => (
          <Spend key={filter} {...props} filter={filter} />
        ))}
      </div>
    </>
  );
}

interface SentenceProps extends OverviewProps {
  readonly days: readonly Day[];
  readonly seesCharges: boolean;
}

function Sentence({ all, days, at, currency, seesCharges }: SentenceProps) {
  const time = nextDays(SENTENCE_DAYS, at);
  const paid = paidIn(all, time);
  const { count } = paid;
  const isMoney = seesCharges && isPriced(paid);
  const soon = days.slice(0, SENTENCE_DAYS);
  const peak = peakOf(soon, isMoney ? amountOf : countOf);
  const onPeak = peak?.count === count ? words.on : words.most;
  const payments = plural(words.payments, count);
  const { unknown } = sumOf(
    all.flatMap(({ facets: { overdue, due_by_day = [] } }) => [
      ...(overdue === undefined ? [] : [overdue]),
      ...due_by_day,
    ]),
  );
  return (
    <div className="overview-sentence">
      {count === 0 ? (
        <p>{texts.labelled(timeLabel(time, at), words.nothingDue)}.</p>
      ) : (
        <p>
          {texts.labelled(timeLabel(time, at), '')}
          <strong>{isMoney ? shownSum(paid.amount, currency) : payments}</strong>
          {isMoney && words.inPayments(payments)}
          {peak && onPeak(shownDay(peak.day).dayMonth.replaceAll(' ', NO_BREAK))}.
        </p>
      )}
      <p className="flow overview-marks">
        <Overdue {...{ all, at, currency }} />
        {all.map(({ list, facets }) => (
          <Flags key={list.name} {...{ list, facets }} view={EMPTY_VIEW} />
        ))}
      </p>
      {seesCharges && currency === undefined && <p className="dim">{words.noCurrency}</p>}
      <UtcDay />
      {unknown > 0 && <p className="dim">{words.unknown(plural(words.payments, unknown))}</p>}
    </div>
  );
}

function Overdue({ all, at, currency }: OverviewProps) {
  const time = overdueAt(at);
  const late = all.map(({ list, facets }) => ({ list, paid: paymentsIn(facets, time) }));
  const some = late.filter(({ paid }) => paid.count > 0);
  return some.map(({ list, paid }) => {
    const { count, amount } = paid;
    const said = some.length === 1 ? plural(words.overdue, count) : words.overdueOf(shownItems(list, count));
    return (
      <ViewLink key={list.name} list={list} view={viewIn(list, EMPTY_VIEW, time)} className="row flagged">
        <Icon name="warning" size={15} />
        {list.sums.length > 0 && isPriced(paid) ? texts.labelled(said, shownSum(amount, currency)) : said}
      </ViewLink>
    );
  });
}

function ListPrice({ all, currency }: Pick<OverviewProps, 'all' | 'currency'>) {
  const total = addUp(all, ({ facets }) => listPriceOf(facets));
  return (
    <Panel title={texts.compare.monthly} className="panel-price">
      <p className="overview-total" title={shownCharge(total, currency)}>
        {shownSum(total, currency)}
      </p>
      <ul>
        {all.map((one) => (
          <li key={one.list.name}>
            <ViewLink list={one.list} view={EMPTY_VIEW} className="rank">
              <span>{shownItems(one.list, one.facets.total)}</span>
              <span className="part-count">{shownSum(listPriceOf(one.facets), currency)}</span>
            </ViewLink>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
