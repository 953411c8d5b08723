// How a metric is described in the table of definitions.ts, and what several of its rows share.

import type { Semaphore } from '../limits/semaphore.ts';
import type { FeedMetrics, Scraped } from './scrape.ts';

type Labels = Readonly<Record<string, string>>;
export type Values = readonly (readonly [Labels, number])[];

export interface Row {
  /** A name that ends in `_total` is a counter, which only grows; any other is a gauge. */
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** How the values of several processes of one service are combined; `sum` by default. */
  readonly together?: 'sum' | 'max';
  /** The value; with labels, one for each of their combinations. */
  readonly read: (scraped: Scraped) => number | Values;
}

export function byName(label: string, counts: Readonly<Record<string, number>>, others: Labels = {}): Values {
  return Object.entries(counts).map(([name, value]) => [{ ...others, [label]: name }, value]);
}

/** How often a limit has refused something, by the reason that is the label. */
export function refusals(
  each: string,
  { refused }: Pick<Semaphore, 'refused'>,
  share?: string,
): Record<string, number> {
  const ofShare = share === undefined ? {} : { [share]: refused.share };
  return { [each]: refused.each, ...ofShare, all: refused.total };
}

export function cache(
  what: 'bytes' | 'entries' | 'hits' | 'misses' | 'evictions',
  name: string,
  help: string,
): Row {
  return {
    name,
    help,
    labels: ['cache', 'list'],
    read: ({ answers, indexes, authenticator }) =>
      [
        ...answers.statistics,
        { cache: 'indexes', list: '', ...indexes.statistics },
        ...authenticator.statistics,
      ].map(({ cache: of, list, [what]: value }) => [{ cache: of, list }, value]),
  };
}

/** A feed, by its name or how it came in, and what it does with what is stored. */
export const FEED = ['list', 'feed', 'mode'] as const;

export function ofFeeds(name: string, help: string, value: (feed: FeedMetrics) => number | undefined): Row {
  const sampleOf = (feed: FeedMetrics) => [feed.labels, value(feed) ?? Number.NaN] as const;
  const read = ({ feeds = [] }: Scraped) => feeds.map(sampleOf).filter(([, one]) => !Number.isNaN(one));
  return { name, help, labels: FEED, together: 'max', read };
}
