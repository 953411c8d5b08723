// The routes of the intake that are no operations, as data for its OpenAPI document: imports and webhooks.

import { WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '@linecard/client/contract/webhooks';
import { type ImportOption, importables, isTable, optionsByParameter, takesOption } from '../import/job.ts';
import {
  durationField,
  type Field,
  nameField,
  oneOfField,
  required,
  type Schema,
  someOfField,
} from '../operations/field.ts';
import { accountId, chargesField, listsField } from '../operations/members.ts';
import { type AnyOperation, anyId } from '../operations/operation.ts';
import { type Shape, shapeSchema } from '../operations/shape.ts';
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

const imports: readonly Described[] = importables.flatMap((table) => {
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

const SCOPE = {
  url: required<string>({
    about: 'Where deliveries are sent: https, without user name and fragment.',
    example: 'https://crm.example.com/hook',
    schema: { type: 'string', format: 'uri' },
    read: (value) => String(value),
  }),
  name: nameField({ about: 'A name to recognize it by.', example: 'CRM' }),
  format: oneOfField(WEBHOOK_FORMATS, { about: 'The form of a delivery.', example: 'json' }),
  lists: listsField('The lists that it is about; null for all.', ''),
  events: someOfField(Object.keys(WEBHOOK_EVENTS), {
    about: 'What it receives; all but `changed` if left out.',
    example: ['spam_flagged'],
  }),
  fields: {
    about: 'The fields of items that it receives; null for all.',
    example: ['did', 'is_spammed'],
    schema: { type: ['array', 'null'], items: TEXT },
    read: (value) => value,
  } satisfies Field,
  charges: chargesField,
} as const;
const { url, ...others } = SCOPE;
const { missing: _, ...address } = url;
const WEBHOOK: Schema = {
  ...shapeSchema({ id: anyId('Its id.', '4fTq0Vb2LxYz'), ...SCOPE }),
  title: 'WebhookEndpoint',
  additionalProperties: true,
};
const WITH_SECRET: Schema = {
  ...WEBHOOK,
  title: 'WebhookWithSecret',
  properties: {
    ...WEBHOOK.properties,
    secret: { type: 'string', description: 'With which the receiver verifies.', examples: ['whsec_…'] },
  },
};
const ATTEMPT: Schema = { title: 'Attempt', type: 'object', additionalProperties: true };
const LIST: Schema = {
  title: 'WebhookList',
  type: 'object',
  properties: { data: { type: 'array', items: WEBHOOK, description: 'The endpoints.' } },
};
const ID = anyId('The id of the webhook.', '4fTq0Vb2LxYz');
const replayFrom = required<unknown>({
  about: 'Since when everything is delivered again, such as 12h or 2026-11-20.',
  example: '12h',
  schema: TEXT,
  read: (value) => value,
});
const overlap = durationField(
  { about: 'How long the old secret also signs; 24h if left out.', example: '7d' },
  true,
);

type Row = readonly [
  words: string,
  route: string,
  about: string,
  takes?: Shape,
  answer?: Schema | undefined,
  status?: 200 | 201 | 204,
];
const ROWS: readonly Row[] = [
  [
    'list',
    'GET /webhooks',
    'Endpoints with their last attempts.',
    { account: accountId('Only those of this account.') },
    LIST,
  ],
  [
    'create',
    'POST /webhooks',
    'The secret is in this answer alone.',
    { account_id: required(accountId('The account.')), url, ...others },
    WITH_SECRET,
    201,
  ],
  ['show', 'GET /webhooks/{id}', 'An endpoint with its last attempts, newest first.', {}, WEBHOOK],
  ['change', 'PATCH /webhooks/{id}', 'Changes what is given.', { ...SCOPE, url: address }, WEBHOOK],
  ['delete', 'DELETE /webhooks/{id}', 'Deletes it with its attempts.', {}, undefined, 204],
  [
    'test',
    'POST /webhooks/{id}/test',
    'Has `webhook.test` sent, and says what the receiver answered.',
    {},
    ATTEMPT,
  ],
  ['rotate', 'POST /webhooks/{id}/rotate', 'Creates another secret.', { overlap }, WITH_SECRET],
  [
    'replay',
    'POST /webhooks/{id}/replay',
    'Delivers everything since a time again.',
    { from: replayFrom },
    WEBHOOK,
  ],
  ['enable', 'POST /webhooks/{id}/enable', 'Continues deliveries.', {}, WEBHOOK],
  ['pause', 'POST /webhooks/{id}/pause', 'Stops deliveries; the position stays.', {}, WEBHOOK],
];

const webhooks = ROWS.map(([words, route, about, takes = {}, schema, status = 200]): Described => {
  const [method, path] = route.split(' ') as [Described['route']['method'], string];
  return {
    words: `webhook ${words}`,
    title: `${words[0]?.toUpperCase()}${words.slice(1)} ${words === 'list' ? 'webhooks' : 'a webhook'}`,
    about,
    ...(path.includes('{id}') && { id: ID }),
    takes,
    shown: Object.keys(takes).filter((name) =>
      ['account_id', 'url', 'events', 'overlap', 'from'].includes(name),
    ),
    route: {
      ...{ method, path, status, permission: 'webhooks' },
      ...(schema && { answer: { schema, about: 'What became of it.' } }),
    },
  };
});

export const describedRoutes: readonly Described[] = [...imports, ...webhooks];
