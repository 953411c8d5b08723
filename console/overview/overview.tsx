// The front page: what is due, when, and what the numbers and services of the account cost.

import { useQueries, useQuery } from '@tanstack/react-query';
import { useLists, ViewLink } from '../address.tsx';
import { dueField, EMPTY_VIEW } from '../contract.ts';
import { plural, shownCharge, shownItems, shownSum } from '../format.ts';
import { boundBefore } from '../glance/due.ts';
import { Flags } from '../glance/glance.tsx';
import { Panel } from '../glance/shares.tsx';
import { Icon } from '../icons.tsx';
import { BASE } from '../linecard.ts';
import { News } from '../list/news.tsx';
import { brand } from '../page.ts';
import { accountQuery, overviewQuery } from '../queries.ts';
import { useTitle } from '../shell/title.ts';
import { Trouble } from '../shell/trouble.tsx';
import { texts } from '../texts.ts';
import { comingUtcDays, shownDay, utcDays } from '../times.ts';
import { IN_FLIGHT, useWaiting } from '../waiting.ts';
import { addUp, amountOf, type Counted, countOf, type Day, daysOf } from './money.ts';
import { Spend } from './spend.tsx';
import { Timeline } from './timeline.tsx';

const words = texts.overview;
const SENTENCE_DAYS = 30;
const SPEND_BY = ['country_codes', 'providers'];

export function OverviewPage() {
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
      <News isSlow={isSlow} />
      {isWhole && all.every(({ facets }) => facets.total === 0) ? (
        <NothingYet isTree={account.data?.token.reach === 'tree'} />
      ) : isWhole ? (
        <Overview all={all} at={at} currency={account.data?.currency ?? undefined} />
      ) : failure === undefined ? (
        <Waiting />
      ) : (
        <Trouble error={failure.error} query={failed ?? IN_FLIGHT} />
      )}
    </main>
  );
}

/** What to do where the account has nothing. */
function NothingYet({ isTree }: { readonly isTree: boolean }) {
  const ways = [
    [`${BASE}/docs`, texts.reference],
    [brand.supportUrl, texts.support],
  ] as const;
  return (
    <div className="empty" role="status">
      <h2>{words.empty}</h2>
      <p>{isTree ? words.emptyTree : words.emptyHint}</p>
      <ul className="flow ways-out">
        {ways.map(
          ([href, label]) =>
            href !== undefined && (
              <li key={label}>
                <a href={href} className="way-out">
                  {label}
                </a>
              </li>
            ),
        )}
      </ul>
    </div>
  );
}

function Waiting() {
  return (
    <div role="status" aria-label={texts.loading} aria-busy="true">
      <div className="overview-soon">
        <span className="bone" data-tall />
        <span className="bone" />
      </div>
      <div className="overview-panels">
        <Panel title={words.timeline} className="panel-timeline">
          <div className="timeline-soon" />
        </Panel>
        <Panel title={texts.compare.monthly}>
          <span className="bone" data-tall />
          <span className="bone" data-wide />
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
  const soon = days.slice(0, SENTENCE_DAYS);
  const count = addUp(soon, countOf);
  const size = seesCharges ? amountOf : countOf;
  const most = soon.reduce((one, other) => (size(other) > size(one) ? other : one), soon[0] as Day);
  const payments = plural(words.payments, count);
  const unknown = addUp(all, ({ facets: { overdue, due_by_day = [] } }) =>
    addUp([...(overdue === undefined ? [] : [overdue]), ...due_by_day], (one) => one.unknown ?? 0),
  );
  return (
    <div className="overview-sentence">
      {count === 0 ? (
        <p>{words.nothing(SENTENCE_DAYS)}.</p>
      ) : (
        <p>
          {words.next(SENTENCE_DAYS)}{' '}
          <strong>{seesCharges ? shownSum(addUp(soon, amountOf), currency) : payments}</strong>
          {seesCharges && words.inPayments(payments)}
          {words.most(shownDay(most.day).dayMonth)}.
        </p>
      )}
      <p className="flow overview-marks">
        <Overdue {...{ all, at, currency }} />
        {all.map(({ list, facets }) => (
          <Flags key={list.name} {...{ list, facets }} view={EMPTY_VIEW} />
        ))}
      </p>
      {unknown > 0 && <p className="dim">{words.unknown(plural(words.payments, unknown))}</p>}
    </div>
  );
}

function Overdue({ all, at, currency }: OverviewProps) {
  const [today = ''] = comingUtcDays(1, at);
  const some = all.filter(({ facets }) => (facets.overdue?.count ?? 0) > 0);
  return some.map(({ list, facets }) => {
    const { count = 0, amount, unknown = 0 } = facets.overdue ?? {};
    const said = some.length === 1 ? plural(words.overdue, count) : words.overdueOf(shownItems(list, count));
    const filters = boundBefore(list, dueField, utcDays.boundOf('from', today));
    return (
      <ViewLink key={list.name} list={list} view={{ ...EMPTY_VIEW, filters }} className="row flagged">
        <Icon name="warning" size={15} />
        {amount === undefined || count === unknown ? said : texts.labelled(said, shownSum(amount, currency))}
      </ViewLink>
    );
  });
}

function ListPrice({ all, currency }: Pick<OverviewProps, 'all' | 'currency'>) {
  const priceOf = ({ facets }: Counted) => facets.sums['monthly'] ?? 0;
  const total = addUp(all, priceOf);
  return (
    <Panel title={texts.compare.monthly}>
      <p className="overview-total" title={shownCharge(total, currency)}>
        {shownSum(total, currency)}
      </p>
      <ul>
        {all.map((one) => (
          <li key={one.list.name}>
            <ViewLink list={one.list} view={EMPTY_VIEW} className="rank">
              <span>{shownItems(one.list, one.facets.total)}</span>
              <span className="part-count">{shownSum(priceOf(one), currency)}</span>
            </ViewLink>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
