// One item of a list, by its id.

import { Problem } from '@linecard/client/contract/problems';
import { projectionOf } from '../../lists/fields.ts';
import { BY_ID, selectionOf } from '../../lists/plan.ts';
import { revisionStatement } from '../../store/heads.ts';
import { rowsStatement } from '../../store/sql.ts';
import type { Table } from '../../store/tables.ts';
import { type Answer, jsonAnswer } from '../answer.ts';
import { type Engine, tableOf } from '../engine.ts';
import { fieldsOf, knownRow, type Question } from '../question.ts';

/** The same whether the id is invalid, unknown, or belongs to another account. */
function noSuchItem({ list }: Table): Problem {
  return new Problem('not-found', `There is no such ${list.one} on this account.`);
}

/**
 * @throws {Problem} `not-found`
 * @throws {StoreUnavailable}
 */
export async function readItem({ store }: Engine, question: Question): Promise<Answer> {
  const { id, owner } = question;
  const { account_id } = owner;
  const table = tableOf(question);
  if (id === undefined) throw noSuchItem(table);
  const listed = selectionOf(table, account_id, { filters: [] });
  const where = [...listed.where, { column: 'id', test: 'is', value: id } as const];
  const [[account], [row]] = await store.read(
    revisionStatement(store.dialect, account_id),
    rowsStatement(store.dialect, { ...listed, where, whole: false, order: BY_ID }),
  );
  const [revision] = knownRow(account);
  if (row === undefined) throw noSuchItem(table);
  const project = projectionOf(table.list, fieldsOf(question));
  return jsonAnswer(question, revision as string, project(row[0] as string));
}
