// A list as a file: all matches of a query in its order, from one snapshot, streamed while rows are read.

import { monitorOf } from '../../lists/change-token.ts';
import { currencyStatement } from '../../lists/facets-statements.ts';
import { FILE_CONTENT_TYPES, type FilePart, type FileWriter, mustFit, WRITERS } from '../../lists/files.ts';
import { planOf } from '../../lists/plan.ts';
import { readingAt } from '../../lists/reading.ts';
import { headStatement } from '../../store/lists/heads.ts';
import { rowsStatement } from '../../store/sql.ts';
import type { ItemRow } from '../../store/tables.ts';
import { type Answer, etagOf, fileLink } from '../answer.ts';
import { type Engine, pathOf, tableOf } from '../engine.ts';
import { fieldsOf, knownRow, type StreamQuestion } from '../question.ts';

async function* partsOf(
  writer: FileWriter,
  rows: AsyncIterable<readonly ItemRow[]>,
): AsyncGenerator<FilePart> {
  yield writer.begin();
  for await (const batch of rows) yield writer.items(batch.map(([item]) => item));
  yield writer.end();
}

function headersOf(
  engine: Engine,
  question: StreamQuestion,
  total: number,
  monitor: string,
): Answer['headers'] {
  const { format } = question;
  const { name } = tableOf(question).list;
  // Links cannot contain filters from a body.
  const link = question.isInBody ? '' : fileLink(pathOf(engine, question), monitor);
  return {
    'x-total-count': String(total),
    'content-disposition': `attachment; filename="${name.replaceAll('_', '-')}.${format}"`,
    'content-type': FILE_CONTENT_TYPES[format],
    ...(link === '' ? {} : { link }),
  };
}

/**
 * Rows are read as the parts of the file are taken.
 * @throws {Problem} `invalid-parameter` if there are more items than the format allows.
 */
export async function exportList(engine: Engine, question: StreamQuestion): Promise<Answer> {
  const { query, owner, form, format } = question;
  const { account_id } = owner;
  const { store, cursorKey } = engine;
  const table = tableOf(question);
  const plan = planOf(table, account_id, query);
  const { headings: language } = query;
  const { charges } = owner.limits;
  const snapshot = await store.snapshot();
  try {
    const [[row], account] = await snapshot.read(
      headStatement(store.dialect, plan),
      ...(language === undefined ? [] : [currencyStatement(account_id)]),
    );
    const head = knownRow(row);
    const [revision, total, sequence] = [head[0] as string, Number(head[1]), Number(head[2])];
    const currency = charges ? ((account?.[0]?.[1] as string | null | undefined) ?? engine.currency) : null;
    const people = language === undefined ? undefined : { language, currency };
    mustFit(format, total, people);
    const writer = WRITERS[format](table.list, fieldsOf(question), people);
    const monitor = monitorOf(
      cursorKey,
      table,
      account_id,
      query,
      readingAt({ revision, sequence }, sequence),
    );
    const parts = partsOf(writer, snapshot.rows(rowsStatement(store.dialect, plan)));
    return {
      revision,
      etag: etagOf(revision, form),
      headers: headersOf(engine, question, total, monitor),
      body: { total, parts, close: () => snapshot.close() },
    };
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}
