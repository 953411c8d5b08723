// All changes of a list since a token, as one stream from one snapshot.

import { writeToken } from '../../lists/change-token.ts';
import { FILE_CONTENT_TYPES } from '../../lists/files.ts';
import { type Answer, etagOf } from '../answer.ts';
import type { Engine } from '../engine.ts';
import type { StreamQuestion } from '../question.ts';
import { type ChangesRequest, requestOf, type Step, step } from './changes.ts';

const BATCH = 500;

async function* partsOf(
  read: (since: Step['token']) => Promise<Step>,
  first: Step,
  end: (last: Step) => string,
): AsyncGenerator<string> {
  let now = first;
  for (;;) {
    if (now.lines.length > 0) yield `${now.lines.join('\n')}\n`;
    if (!now.more) break;
    now = await read(now.token);
  }
  yield end(now);
}

/**
 * Changes are read as the parts of the stream are taken.
 * @throws {Problem} `invalid-cursor`, `changes-gone`
 */
export async function streamChanges(engine: Engine, question: StreamQuestion): Promise<Answer> {
  const { store, cursorKey } = engine;
  const request = { ...requestOf(engine, question), page_size: BATCH };
  const snapshot = await store.snapshot();
  try {
    const first = await step(snapshot, store, request);
    const { total, revision } = first.head;
    // The total is known now, so the following steps need not count.
    const next: ChangesRequest = { ...request, selection: { ...request.selection, whole: true } };
    const read = (since: Step['token']) => step(snapshot, store, { ...next, since });
    const end = ({ token }: Step) =>
      `{"since":"${writeToken(cursorKey, request.scope, token)}","total":${total}}\n`;
    return {
      revision,
      etag: etagOf(revision, question.form),
      headers: { 'content-type': FILE_CONTENT_TYPES.ndjson },
      body: { total, parts: partsOf(read, first, end), close: () => snapshot.close() },
    };
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}
