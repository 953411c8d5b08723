// A peer: the virtual numbers as a careful developer would write them with Fastify, Kysely and pg, with a
// token lookup, a count and a select per request. `node server.ts PORT DATABASE_URL`

import { createHash } from 'node:crypto';
import fastify, { type FastifyRequest } from 'fastify';
import { type Expression, type ExpressionBuilder, Kysely, PostgresDialect, type SqlBool } from 'kysely';
import pg from 'pg';
import { type Query, querystring, reply, sorts } from './schemas.ts';

interface VirtualNumber {
  account_id: string;
  id: number;
  did: string;
  comment: string;
  country: string;
  country_code: string;
  provider: string;
  status: string;
  subscription_status: string;
  frequency: string;
  activation: number;
  monthly: number;
  incoming: number;
  created_at: string;
  activated_at: string | null;
  next_payment_at: string | null;
  is_active_spam_check: boolean;
  is_spammed: boolean;
  spam_checked_at: string | null;
}

interface Tables {
  virtual_numbers: VirtualNumber;
  api_tokens: {
    hash: string;
    account_id: string;
    expires_at: string | null;
    revoked_at: string | null;
  };
}

const { INT8, NUMERIC, TIMESTAMPTZ } = pg.types.builtins;
pg.types.setTypeParser(INT8, Number);
pg.types.setTypeParser(NUMERIC, Number);
pg.types.setTypeParser(TIMESTAMPTZ, (text) => text.replace(' ', 'T').replace('+00', 'Z'));

const COLUMNS = Object.keys(reply.properties.data.items.properties) as (keyof VirtualNumber)[];
const LISTS = {
  ids: 'id',
  frequencies: 'frequency',
  subscription_statuses: 'subscription_status',
  statuses: 'status',
  country_codes: 'country_code',
  providers: 'provider',
} as const;
const NULLABLE = new Set<string>(['activated_at', 'next_payment_at', 'spam_checked_at']);

const [port, database_url] = process.argv.slice(2);
const db = new Kysely<Tables>({
  dialect: new PostgresDialect({
    pool: new pg.Pool({
      connectionString: database_url,
      max: 10,
      options: '-c search_path=peers -c timezone=UTC',
    }),
  }),
});

async function accountOf({ headers }: FastifyRequest): Promise<string | undefined> {
  const token = headers.authorization?.replace(/^bearer +/i, '') ?? '';
  const caller = await db
    .selectFrom('api_tokens')
    .select('account_id')
    .where('hash', '=', createHash('sha256').update(token).digest('hex'))
    .where('revoked_at', 'is', null)
    .where((where) =>
      where.or([where('expires_at', 'is', null), where('expires_at', '>', new Date().toISOString())]),
    )
    .executeTakeFirst();
  return caller?.account_id;
}

function conditions(account_id: string, query: Query) {
  return (where: ExpressionBuilder<Tables, 'virtual_numbers'>): Expression<SqlBool> => {
    const all: Expression<SqlBool>[] = [where('account_id', '=', account_id)];
    for (const [parameter, column] of Object.entries(LISTS)) {
      const values = query[parameter as keyof typeof LISTS];
      if (values !== undefined && values.length > 0) all.push(where(column, 'in', values as never));
    }
    const { is_spammed, is_active_spam_check, q } = query;
    if (is_spammed !== undefined) all.push(where('is_spammed', '=', is_spammed));
    if (is_active_spam_check !== undefined)
      all.push(where('is_active_spam_check', '=', is_active_spam_check));
    if (query.activated_after !== undefined) all.push(where('activated_at', '>', query.activated_after));
    if (query.activated_before !== undefined) all.push(where('activated_at', '<', query.activated_before));
    if (query.next_payment_after !== undefined)
      all.push(where('next_payment_at', '>', query.next_payment_after));
    if (query.next_payment_before !== undefined)
      all.push(where('next_payment_at', '<', query.next_payment_before));
    if (q !== undefined && q.trim() !== '') {
      const pattern = `%${q.trim().replace(/[\\%_]/g, '\\$&')}%`;
      all.push(where.or([where('did', 'ilike', pattern), where('comment', 'ilike', pattern)]));
    }
    return where.and(all);
  };
}

const app = fastify({ logger: false });

app.get<{ Querystring: Query }>(
  '/api/v1/did/me',
  { schema: { querystring, response: { 200: reply } } },
  async (request, answer) => {
    const account_id = await accountOf(request);
    if (account_id === undefined) return answer.code(401).send({ detail: 'The API token is not valid.' });
    const { page, page_size, sort_by, sort_order } = request.query;
    const column = sorts[sort_by];
    const where = conditions(account_id, request.query);
    const [counted, data] = await Promise.all([
      db
        .selectFrom('virtual_numbers')
        .select((select) => select.fn.countAll<number>().as('total'))
        .where(where)
        .executeTakeFirstOrThrow(),
      db
        .selectFrom('virtual_numbers')
        .select(COLUMNS)
        .where(where)
        .orderBy(column, (order) => {
          const directed = sort_order === 'desc' ? order.desc() : order.asc();
          return NULLABLE.has(column) ? directed.nullsLast() : directed;
        })
        .orderBy('id', sort_order)
        .limit(page_size)
        .offset((page - 1) * page_size)
        .execute(),
    ]);
    const { total } = counted;
    return { data, page, page_size, total, total_pages: Math.ceil(total / page_size) };
  },
);

await app.listen({ host: '127.0.0.1', port: Number(port) });
