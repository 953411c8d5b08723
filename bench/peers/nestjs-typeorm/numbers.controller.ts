// The one route of the NestJS peer: our parameters as a query of nestjs-paginate, its page as our envelope.

import { createHash } from 'node:crypto';
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  Query,
  Req,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { FilterOperator, type PaginateConfig, type PaginateQuery, paginate } from 'nestjs-paginate';
import { IsNull, MoreThan, type Repository } from 'typeorm';
import { ApiToken, VirtualNumber } from './tables.js';

type Parameters = Readonly<Record<string, string | string[] | undefined>>;
interface Caller {
  headers: { authorization?: string };
  account_id?: string;
}

const { IN, EQ, GT, LT } = FilterOperator;
const LISTS: Readonly<Record<string, string>> = {
  ids: 'id',
  frequencies: 'frequency',
  subscription_statuses: 'subscription_status',
  statuses: 'status',
  country_codes: 'country_code',
  providers: 'provider',
};
const SYNONYMS: Readonly<Record<string, string>> = {
  _default: 'id',
  billing_period: 'frequency',
  amount_one_time: 'activation',
  amount_subscription: 'monthly',
  is_spam: 'is_spammed',
};
const config: PaginateConfig<VirtualNumber> = {
  sortableColumns: [
    'id',
    'did',
    'status',
    'country',
    'country_code',
    'provider',
    'frequency',
    'next_payment_at',
    'activated_at',
    'activation',
    'monthly',
    'comment',
    'spam_checked_at',
    'is_spammed',
  ],
  nullSort: 'last',
  searchableColumns: ['did', 'comment'],
  defaultSortBy: [['id', 'ASC']],
  maxLimit: 1000,
  filterableColumns: {
    id: [IN],
    frequency: [IN],
    subscription_status: [IN],
    status: [IN],
    country_code: [IN],
    provider: [IN],
    is_spammed: [EQ],
    is_active_spam_check: [EQ],
    activated_at: [GT, LT],
    next_payment_at: [GT, LT],
  },
};

function filtersOf(parameters: Parameters): Record<string, string | string[]> {
  const filter: Record<string, string | string[]> = {};
  for (const [name, column] of Object.entries(LISTS)) {
    const values = parameters[name];
    if (values !== undefined) filter[column] = `$in:${[values].flat().join(',')}`;
  }
  for (const name of ['is_spammed', 'is_active_spam_check']) {
    if (parameters[name] !== undefined) filter[name] = `$eq:${parameters[name]}`;
  }
  for (const column of ['activated', 'next_payment']) {
    const [after, before] = [parameters[`${column}_after`], parameters[`${column}_before`]];
    const sides = [
      ...(after === undefined ? [] : [`$gt:${after}`]),
      ...(before === undefined ? [] : [`$lt:${before}`]),
    ];
    if (sides.length > 0) filter[`${column}_at`] = sides;
  }
  return filter;
}

function queryOf(parameters: Parameters): PaginateQuery {
  const { page = '1', page_size = '10', sort_by = 'id', sort_order = 'asc', q } = parameters;
  const column = SYNONYMS[String(sort_by)] ?? String(sort_by);
  const direction = sort_order === 'desc' ? 'DESC' : 'ASC';
  return {
    path: '',
    page: Number(page),
    limit: Number(page_size),
    sortBy: [[column, direction], ...(column === 'id' ? [] : [['id', direction] as [string, string]])],
    ...(q === undefined ? {} : { search: String(q).trim() }),
    filter: filtersOf(parameters),
  };
}

/** Lets in who has a token, and notes whose it is. */
@Injectable()
export class TokenGuard implements CanActivate {
  constructor(@InjectRepository(ApiToken) private readonly tokens: Repository<ApiToken>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Caller>();
    const token = request.headers.authorization?.replace(/^bearer +/i, '') ?? '';
    const hash = createHash('sha256').update(token).digest('hex');
    const usable = { hash, revoked_at: IsNull() };
    const found = await this.tokens.findOneBy([
      { ...usable, expires_at: IsNull() },
      { ...usable, expires_at: MoreThan(new Date()) },
    ]);
    if (found === null) throw new UnauthorizedException();
    request.account_id = found.account_id;
    return true;
  }
}

@Controller('api/v1/did/me')
@UseGuards(TokenGuard)
export class NumbersController {
  constructor(@InjectRepository(VirtualNumber) private readonly numbers: Repository<VirtualNumber>) {}

  @Get()
  async list(@Query() parameters: Parameters, @Req() { account_id = '' }: Caller) {
    const { data, meta } = await paginate(queryOf(parameters), this.numbers, {
      ...config,
      where: { account_id },
    });
    const { currentPage: page, itemsPerPage: page_size, totalItems: total, totalPages: total_pages } = meta;
    return { data, page, page_size, total, total_pages };
  }
}
