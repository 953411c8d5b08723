// Questions put to the engine itself, past HTTP, and what is in its answers.

import { BILLING_MONTHS } from '../../api/contract/facets.ts';
import type { Query } from '../../api/contract/query.ts';
import { type Answer, isStream } from '../../server/answers/answer.ts';
import type { Engine } from '../../server/answers/engine.ts';
import type { Kind, Question, QuestionOf } from '../../server/answers/question.ts';
import { workOf } from '../../server/answers/work.ts';
import { NO_LIMITS } from '../../server/store/access/token-scopes.ts';
import type { Store } from '../../server/store/store.ts';

/** Everything of a list, in pages as large as they come. */
export const EVERY: Query = {
  filters: [],
  sort_by: '_default',
  sort_order: 'asc',
  page: 1,
  page_size: 1_000,
};

/** What the clock says of a client that waits for ever. */
export const PATIENT_CLIENT = { waitedMs: () => 0, isDisconnected: () => false };

/** What an engine has unless the operator sets it. */
export const ENGINE = { address: '', currency: null, billingMonths: BILLING_MONTHS };

export function questionOf<K extends Kind>(
  kind: K,
  list: string | undefined,
  account_id: string,
  more: Partial<QuestionOf<K>> = {},
): QuestionOf<K> {
  const owner = { account_id, token_id: '', revision: undefined, limits: NO_LIMITS };
  const about = list === undefined ? {} : { list };
  const question = { kind, ...about, owner, query: EVERY, form: '', isInBody: false, ...more };
  return question as unknown as QuestionOf<K>;
}

/** An answer from a store, computed on this thread. */
export async function answerFrom(store: Store, question: Question, cursorKey = 'key'): Promise<Answer> {
  const engine: Engine = { ...ENGINE, store, cursorKey };
  return (await workOf(question).answer(engine, question)) as Answer;
}

/** Its body as text; `onPart` is called before each part of a stream is taken. */
export async function textOf({ body }: Answer, onPart?: (text: string) => unknown): Promise<string> {
  if (!isStream(body)) return typeof body === 'string' ? body : Buffer.from(body).toString();
  let text = '';
  try {
    for await (const part of body.parts) {
      await onPart?.(text);
      text += typeof part === 'string' ? part : Buffer.from(part).toString();
    }
  } finally {
    await body.close();
  }
  return text;
}
