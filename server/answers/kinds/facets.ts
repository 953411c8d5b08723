// Facets: counts, sums and due payments for the filters of a list (docs/generated/api.md, "Facets"), from one
// snapshot of the database or from an index in memory.

import { inSteps } from '../../limits/steps.ts';
import type { ListIndex } from '../../list-index/list-index.ts';
import { type FacetsRows, facetsPlan, facetsText } from '../../lists/facets.ts';
import { facetsByIndex } from '../../lists/facets-by-index.ts';
import {
  currencyStatement,
  type FacetsPlan,
  facetStatement,
  paymentsStatement,
  sumsStatement,
} from '../../lists/facets-statements.ts';
import type { ReadOnlyStore, ResultRow } from '../../store/store.ts';
import { type Answer, jsonAnswer } from '../answer.ts';
import { type Engine, tableOf } from '../engine.ts';
import { knownRow, type ListQuestion } from '../question.ts';

export async function readFacets(store: ReadOnlyStore, plan: FacetsPlan): Promise<FacetsRows> {
  const { dialect } = store;
  const { account_id } = plan.all;
  const results = (await store.read(
    currencyStatement(account_id),
    sumsStatement(dialect, plan),
    ...plan.each.map((facet) => facetStatement(dialect, facet, plan.hasCharges)),
    ...(plan.days === undefined ? [] : [paymentsStatement(dialect, plan.all, plan.days)]),
  )) as readonly ResultRow[][];
  const [accounts, sums, ...each] = results;
  const payments = plan.days === undefined ? [] : (each.pop() ?? []);
  const [revision, currency] = knownRow(accounts?.[0]) as [string, string | null];
  return { revision, currency, sums: knownRow(sums?.[0]), payments, each };
}

/** `undefined` if the index is outdated or the search would take too long. */
async function countByIndex(
  { store, currency: usual }: Engine,
  plan: FacetsPlan,
  index: ListIndex,
): Promise<FacetsRows | undefined> {
  const { account_id, where } = plan.all;
  if (!index.isQuickToFilter(where)) return undefined;
  const [[account]] = await store.read(currencyStatement(account_id));
  const [revision, currency] = knownRow(account) as [string, string | null];
  if (index.revision !== revision) return undefined;
  const rows = await inSteps(account_id, facetsByIndex(index.data, plan));
  return { ...rows, currency: currency ?? usual };
}

export async function countFacets(
  engine: Engine,
  question: ListQuestion,
  index?: ListIndex,
): Promise<Answer | undefined> {
  const { owner, query } = question;
  const plan = facetsPlan(tableOf(question), owner.account_id, query, engine);
  const rows =
    index === undefined ? await readFacets(engine.store, plan) : await countByIndex(engine, plan, index);
  if (rows === undefined) return undefined;
  const { body, changesAt } = facetsText(plan, rows, owner.limits.charges);
  return { ...jsonAnswer(question, rows.revision, body, { isOfBody: true }), asOf: plan.now, changesAt };
}
