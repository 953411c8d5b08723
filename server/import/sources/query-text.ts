// The text of a query's file, before a database sees it.

import { isUtf8 } from 'node:buffer';

/** White space, brackets and comments before the first word of a statement. */
const BEFORE = /^(?:[\s(]+|--[^\n]*(?:\n|$)|#[^\n]*(?:\n|$)|\/\*.*?\*\/)*/s;
const WORD = /^[a-z]+/i;
const READS = ['select', 'with', 'values', 'table'];
const MAX_SHOWN_CHARACTERS = 20;
const BYTE_ORDER_MARK = /^\ufeff/;

/** A file that holds no query; the message says why, to follow its name. */
export class NoQuery extends Error {
  override readonly name = 'NoQuery';
}

/**
 * The one statement of a file.
 * @throws {NoQuery} when it is not one that reads; the database finds out whatever is not seen here.
 */
export function queryText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new NoQuery('The query is not UTF-8; save it as such.');
  const text = bytes.toString().replace(BYTE_ORDER_MARK, '');
  const statement = text.replace(BEFORE, '');
  if (statement === '' || statement.startsWith(';')) throw new NoQuery('There is no query in it.');
  const word = WORD.exec(statement)?.[0] ?? statement.slice(0, MAX_SHOWN_CHARACTERS);
  if (READS.includes(word.toLowerCase())) return text;
  throw new NoQuery(
    `It must hold one statement that reads, which begins with ${READS.slice(0, -1).join(', ').toUpperCase()} or ${READS.at(-1)?.toUpperCase()}, but begins with ${JSON.stringify(word)}.`,
  );
}
