// Below the list: the range that is shown, links to other pages, and the page size. And that range for those
// who hear it.

import { NativeSelect } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import { PAGE_SIZE, type View } from '../contract.ts';
import { plural, shownCount } from '../format.ts';
import { Icon, type IconName } from '../icons.tsx';
import type { PageOfRows } from '../linecard.ts';
import { pageQuery, rangesQuery } from '../queries.ts';
import { texts } from '../texts.ts';
import { withPageSize } from '../view.ts';

const PAGE_SIZES = [10, PAGE_SIZE, 50, 100, 250];
const words = texts.table;

type Place = Omit<PageOfRows, 'data'>;

type Noun = Parameters<typeof plural>[0];

/** Which rows of how many. */
function rangeText({ total, total_pages: pages, page: number, page_size: size }: Place, noun?: Noun): string {
  if (number > pages) return plural(words.all, total);
  const from = (number - 1) * size + 1;
  const to = Math.min(total, number * size);
  return words.shown(shownCount(from), shownCount(to), noun ? plural(noun, total) : shownCount(total));
}

interface RowsStatusProps {
  /** Absent until it is known. */
  readonly page: Place | undefined;
  /** What is counted, where it is not what the filters count. */
  readonly noun?: Noun;
  /** What is said instead where there are no rows. */
  readonly children: ReactNode;
}

/** Always in the page, so that what comes into it is announced: which rows there are, or that none are. */
export function RowsStatus({ page, noun, children }: RowsStatusProps) {
  return (
    <div role="status">{children || (page && <span className="hidden">{rangeText(page, noun)}</span>)}</div>
  );
}

export function Pager({ page, noun }: { readonly page: Place; readonly noun?: Noun }) {
  const { view, go } = useShown();
  const { total_pages: pages, page: number } = page;
  const isPast = number > pages;
  const where = isPast ? plural(words.pages, pages) : words.page(shownCount(number), shownCount(pages));
  const sizes = [...new Set([...PAGE_SIZES, view.pageSize])].sort((a, b) => a - b);
  return (
    <nav className="row pager" aria-label={where}>
      <p className="pager-range">{rangeText(page, noun)}</p>
      <div className="pager-size">
        <NativeSelect
          size="xs"
          aria-label={words.rows}
          value={String(view.pageSize)}
          data={sizes.map((n) => ({ value: String(n), label: plural(words.rowsShort, n) }))}
          onChange={(event) => go(withPageSize(view, Number(event.currentTarget.value)))}
        />
      </div>
      <div className="row pager-ways">
        <Way to={1} name="first" label={words.first} isOff={number <= 1} />
        <Way to={Math.min(number - 1, pages)} name="left" label={words.previous} isOff={number <= 1} />
        <span className="pager-page">{where}</span>
        <Way to={number + 1} name="right" label={words.next} isOff={number >= pages} />
        <Way to={pages} name="last" label={words.last} isOff={number >= pages} />
      </div>
    </nav>
  );
}

/** A link to another page, which is prefetched when the pointer is over it. */
function Way({ to, name, label, isOff }: { to: number; name: IconName; label: string; isOff: boolean }) {
  const { list, view, ranges, instead } = useShown();
  const queries = useQueryClient();
  const next: View = { ...view, page: to };
  const fetchNext = (): Promise<unknown> =>
    ranges === undefined
      ? queries.query(pageQuery(list, next))
      : queries.query(rangesQuery(list, next, ranges));
  const prefetch = () => isOff || void fetchNext().catch(() => {});
  return (
    <span onPointerEnter={prefetch}>
      <ViewLink
        {...{ list, isOff, title: label }}
        view={next}
        id={instead}
        className="way"
        aria-label={label}
      >
        <Icon name={name} />
      </ViewLink>
    </span>
  );
}
