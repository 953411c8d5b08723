// One item of a list, by its id.

import { Problem } from '@linecard/client/contract/problems';
import { projectionOf } from '../../lists/fields.ts';
import { BY_ID, selectionOf } from '../../lists/plan.ts';
import { revisionStatement } from '../../store/lists/heads.ts';
import { rowsStatement } from '../../store/sql.ts';
import { type Answer, jsonAnswer } from '../answer.ts';
import { type Engine, pathOf, tableOf } from '../engine.ts';
import { fieldsOf, type ItemQuestion, knownRow } from '../question.ts';

/** The same whether the id is invalid, unknown, or belongs to another account. */
function noSuchItem(engine: Engine, question: ItemQuestion): Problem {
  const { list } = tableOf(question);
  const path = pathOf(engine, question);
  const hint =
    list.searchDigits === undefined ? '' : ` Look one up by its number with ${path}?dids=+442079460018.`;
  return new Problem('not-found', `There is no such ${list.one} on this account.${hint}`);
}

/** @throws {Problem} `not-found` */
export async function readItem(engine: Engine, question: ItemQuestion): Promise<Answer> {
  const { store } = engine;
  const { id, owner } = question;
  const { account_id } = owner;
  const table = tableOf(question);
  if (id === undefined) throw noSuchItem(engine, question);
  const listed = selectionOf(table, account_id, { filters: [] });
  const where = [...listed.where, { column: 'id', test: 'is', value: id } as const];
  const [[account], [row]] = await store.read(
    revisionStatement(account_id),
    rowsStatement(store.dialect, { ...listed, where, whole: false, order: BY_ID }),
  );
  const [revision] = knownRow(account);
  if (row === undefined) throw noSuchItem(engine, question);
  const project = projectionOf(table.list, fieldsOf(question));
  return jsonAnswer(question, revision as string, project(row[0]));
}
