// The account of a token (docs/generated/api.md, "Account and authentication").

import { ofAccount, type Statement } from '../../store/sql.ts';
import { tables } from '../../store/tables.ts';
import { type Answer, jsonAnswer } from '../answer.ts';
import type { Engine } from '../engine.ts';
import { type AccountQuestion, knownRow, visibleLists } from '../question.ts';

const LISTS = Object.keys(tables);

function accountStatement(account_id: string): Statement {
  const columns = ['revision', 'name', 'currency', 'coalesce(updated_at, created_at)', ...LISTS];
  return ofAccount(account_id, `select id, ${columns.join(', ')} from accounts where id = $1`);
}

function tokenStatement(token_id: string): Statement {
  const text = `select id, name, expires_at from tokens where id = $1`;
  return { text, values: [token_id], owner: { kind: 'token_id', value: token_id } };
}

/** @throws {Problem} `unauthenticated` if the account or the token was deleted concurrently. */
export async function readAccount(
  { store, currency: usual }: Engine,
  question: AccountQuestion,
): Promise<Answer> {
  const { account_id, token_id, limits, issued, operator } = question.owner;
  const { charges, reach } = limits;
  const lists = visibleLists(question.owner);
  const seen = lists.flatMap(([list, isVisible]) => (isVisible ? [list] : []));
  // What else there is to say of other tokens is known.
  const known = operator ?? issued;
  const statements = known === undefined ? [tokenStatement(token_id)] : [];
  const [[account], [token] = []] = await store.read(accountStatement(account_id), ...statements);
  const [revision, name, currency, updated_at, ...totals] = knownRow(account);
  const [token_name, expires_at] = known === undefined ? knownRow(token) : [known.name, known.expires_at];
  const body = {
    id: account_id,
    name,
    currency: charges ? (currency ?? usual) : null,
    ...Object.fromEntries(lists.map(([list, isVisible], i) => [list, isVisible ? Number(totals[i]) : null])),
    updated_at,
    token: { id: token_id, name: token_name, expires_at, lists: seen, charges, reach },
  };
  return jsonAnswer(question, revision as string, JSON.stringify(body), { isOfBody: true });
}
