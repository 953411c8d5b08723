// The telephone numbers of a list as ranges (docs/generated/api.md, "Ranges"): a page of them, or all as a
// file, from one snapshot. Rows come in the order of their numbers and only the ranges of the page are held;
// an index in memory finds those of a page without reading other rows.

import { formatSelection } from '@linecard/client/contract/query';
import { rangesPath } from '@linecard/client/contract/ranges';
import { inSteps } from '../../limits/steps.ts';
import type { ListIndex } from '../../list-index/list-index.ts';
import { FILE_CONTENT_TYPES } from '../../lists/files.ts';
import {
  type FoundRanges,
  type Range,
  type RangeRow,
  type RangesPlan,
  RangeWriter,
  rangesOf,
  rangesPlan,
  rangesStatement,
} from '../../lists/ranges.ts';
import { rangesByIndex } from '../../lists/ranges-by-index.ts';
import { revisionStatement } from '../../store/lists/heads.ts';
import { rowsByIdStatement } from '../../store/sql.ts';
import type { Snapshot } from '../../store/store.ts';
import type { ItemRow, StoredItem } from '../../store/tables.ts';
import { type Answer, etagOf, jsonAnswer, pageLink } from '../answer.ts';
import { type Engine, type Found, type IndexHint, tableOf } from '../engine.ts';
import { knownRow, type ListQuestion, type QuestionOfList, type StreamQuestion } from '../question.ts';

/** Lines of a file that are sent together. */
const LINES_AT_ONCE = 500;

function planOf({ owner, query, ...of }: QuestionOfList): RangesPlan {
  return rangesPlan(tableOf({ owner, query, ...of }), owner.account_id, query);
}

function rowsOf({ store }: Engine, snapshot: Snapshot, plan: RangesPlan, ...more: 'item'[]) {
  return rangesOf(plan, snapshot.rows(rangesStatement(store.dialect, plan, ...more)));
}

async function scanRanges(
  all: AsyncIterable<Range<RangeRow>>,
  { page, page_size }: ListQuestion['query'],
): Promise<FoundRanges> {
  const first = (page - 1) * page_size;
  const ranges: Range<number>[] = [];
  let total = 0;
  for await (const range of all) {
    if (total >= first && ranges.length < page_size)
      ranges.push({ ...range, first: Number(range.first[0]), last: Number(range.last[0]) });
    total += 1;
  }
  return { total, ranges };
}

/** The ranges of a page according to an index; `undefined` if the search would take too long. */
export async function findRanges(
  _: Engine,
  question: ListQuestion,
  index: ListIndex,
): Promise<Found | undefined> {
  const plan = planOf(question);
  const { account_id, where } = plan.selection;
  if (!index.isQuickToFilter(where)) return undefined;
  const { page, page_size } = question.query;
  const computation = rangesByIndex(index.data, plan, { first: (page - 1) * page_size, size: page_size });
  const ranges = await inSteps(account_id, computation);
  return { total: ranges.total, ids: [], ranges };
}

function pageOf(
  engine: Engine,
  question: ListQuestion,
  plan: RangesPlan,
  { revision, total, ranges }: FoundRanges & { readonly revision: string },
  items: readonly ItemRow[],
): Answer {
  const { query, owner, isInBody } = question;
  const { page, page_size } = query;
  const { list } = plan.table;
  const total_pages = Math.ceil(total / page_size);
  const writer = new RangeWriter(list, plan, owner.limits.charges);
  const byId = new Map(items.map(([item, id]) => [id, item]));
  const itemOf = (id: number) => byId.get(id) as StoredItem;
  const data = ranges.map((range) => writer.json(range, itemOf(range.first), itemOf(range.last)));
  const next = page < total_pages ? `page=${page + 1}` : undefined;
  const selection = formatSelection(query);
  const links = { page, page_size, total_pages, selection, next, monitor: undefined };
  // Links cannot contain filters from a body.
  const link = isInBody ? '' : pageLink(engine.address + rangesPath(list), links);
  const end = `"page":${page},"page_size":${page_size},"total":${total},"total_pages":${total_pages}`;
  const body = `{"data":[${data.join(',')}],${end}}`;
  return jsonAnswer(question, revision, body, { headers: link === '' ? {} : { link } });
}

/** A page of ranges. With what an index found, `undefined` if that is outdated. */
export async function readRanges(
  engine: Engine,
  question: ListQuestion,
  index?: IndexHint,
): Promise<Answer | undefined> {
  const { store } = engine;
  const plan = planOf(question);
  const snapshot = await store.snapshot();
  try {
    const [[account]] = await snapshot.read(revisionStatement(plan.selection.account_id));
    const [revision] = knownRow(account) as [string];
    if (index !== undefined && index.revision !== revision) return undefined;
    const { total, ranges } =
      index?.ranges ?? (await scanRanges(rowsOf(engine, snapshot, plan), question.query));
    const ids = [...new Set(ranges.flatMap(({ first, last }) => [first, last]))];
    const [items] = await snapshot.read(rowsByIdStatement(store.dialect, plan.selection, ids, 'id'));
    return pageOf(engine, question, plan, { revision, total, ranges }, items);
  } finally {
    await snapshot.close();
  }
}

async function* linesOf(writer: RangeWriter, ranges: AsyncIterable<Range<RangeRow>>): AsyncGenerator<string> {
  let lines = [writer.header];
  for await (const range of ranges) {
    const [first, last] = [range.first, range.last].map((row) => row.at(-1) as StoredItem);
    lines.push(writer.line(range, first as StoredItem, last as StoredItem));
    if (lines.length < LINES_AT_ONCE) continue;
    yield lines.join('');
    lines = [];
  }
  yield lines.join('');
}

/** All ranges as CSV; they are counted first, and read again as the file is taken. */
export async function exportRanges(engine: Engine, question: StreamQuestion): Promise<Answer> {
  const { store } = engine;
  const { format, form, owner } = question;
  const plan = planOf(question);
  const { list } = plan.table;
  const snapshot = await store.snapshot();
  try {
    const [[account]] = await snapshot.read(revisionStatement(plan.selection.account_id));
    const [revision] = knownRow(account) as [string];
    let total = 0;
    for await (const _ of rowsOf(engine, snapshot, plan)) total += 1;
    const writer = new RangeWriter(list, plan, owner.limits.charges);
    const parts = linesOf(writer, rowsOf(engine, snapshot, plan, 'item'));
    const headers = {
      'x-total-count': String(total),
      'content-disposition': `attachment; filename="${list.name.replaceAll('_', '-')}-ranges.${format}"`,
      'content-type': FILE_CONTENT_TYPES[format],
    };
    const body = { total, parts, close: () => snapshot.close() };
    return { revision, etag: etagOf(revision, form), headers, body };
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}
