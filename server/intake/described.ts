// The routes of the intake that are no operations, as data for its OpenAPI document: imports.

import { type ImportOption, importables, isTable, optionsByParameter, takesOption } from '../import/job.ts';
import type { Field, Schema } from '../operations/field.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { Shape } from '../operations/shape.ts';
import { parameters } from '../settings/config.ts';

/** What the document says of a route. */
export type Described = Pick<AnyOperation, 'words' | 'title' | 'about' | 'id' | 'takes' | 'shown'> & {
  readonly route: Pick<AnyOperation['route'], 'method' | 'path' | 'status' | 'permission' | 'answer'>;
  /** What its body is, if not JSON of `takes`, which are then parameters. */
  readonly rows?: readonly string[];
};

const TEXT: Schema = { type: 'string' };

/** A parameter of an import, as its option is described. */
function parameterField(option: ImportOption): Field {
  const { about, allowed } = parameters[option];
  return {
    about: `${about[0]?.toUpperCase()}${about.slice(1)}: ${allowed}.`,
    example: option === 'account' ? 'C1001' : '',
    schema: TEXT,
    read: (value) => value,
  };
}

const ACTS = {
  POST: 'Adds items, and changes those that are there.',
  PATCH: 'Changes the columns that the rows have, of items that are there.',
  PUT: 'The same as POST; items of the accounts of the rows that no row has are removed.',
} as const;
const SUMMARY: Schema = {
  title: 'ImportSummary',
  type: 'object',
  additionalProperties: true,
  properties: Object.fromEntries(
    ['rows', 'inserted', 'updated', 'moved', 'unchanged', 'removed', 'accounts_created'].map((name) => [
      name,
      { type: 'integer', minimum: 0, description: `How many: ${name.replaceAll('_', ' ')}.`, examples: [0] },
    ]),
  ),
};

export const describedRoutes: readonly Described[] = importables.flatMap((table) => {
  const { name, title } = table.list;
  const takes: Shape = Object.fromEntries(
    [...optionsByParameter]
      .filter(([, option]) => takesOption(table, option))
      .map(([parameter, option]) => [parameter, parameterField(option)]),
  );
  return (isTable(table) ? (['POST', 'PATCH', 'PUT'] as const) : (['POST'] as const)).map(
    (method): Described => ({
      words: `${{ POST: 'import', PATCH: 'update', PUT: 'replace' }[method]} ${name}`,
      title: `${{ POST: 'Import', PATCH: 'Update', PUT: 'Replace' }[method]} ${title.toLowerCase()}`,
      about: isTable(table)
        ? `${ACTS[method]} All rows are stored, or none. \`Linecard-Feed\` names the feed.`
        : 'Creates accounts and changes those that are there. All rows are stored, or none.',
      takes,
      rows: ['text/csv', 'application/x-ndjson'],
      route: {
        method,
        path: `/${name.replaceAll('_', '-')}`,
        status: 200,
        permission: 'import',
        answer: { schema: SUMMARY, about: 'What was done.' },
      },
    }),
  );
});
