// The JSON schemas with which the hand-written peer validates queries and serializes answers.

export const sorts = {
  _default: 'id',
  id: 'id',
  did: 'did',
  status: 'status',
  country: 'country',
  country_code: 'country_code',
  provider: 'provider',
  frequency: 'frequency',
  billing_period: 'frequency',
  next_payment_at: 'next_payment_at',
  activated_at: 'activated_at',
  activation: 'activation',
  amount_one_time: 'activation',
  monthly: 'monthly',
  amount_subscription: 'monthly',
  comment: 'comment',
  spam_checked_at: 'spam_checked_at',
  is_spam: 'is_spammed',
} as const;

export interface Query {
  readonly ids?: number[];
  readonly frequencies?: string[];
  readonly subscription_statuses?: string[];
  readonly statuses?: string[];
  readonly country_codes?: string[];
  readonly providers?: string[];
  readonly is_spammed?: boolean;
  readonly is_active_spam_check?: boolean;
  readonly activated_after?: string;
  readonly activated_before?: string;
  readonly next_payment_after?: string;
  readonly next_payment_before?: string;
  readonly q?: string;
  readonly sort_by: keyof typeof sorts;
  readonly sort_order: 'asc' | 'desc';
  readonly page: number;
  readonly page_size: number;
}

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const time = { type: 'string', format: 'date-time' };
const flag = { type: 'boolean' };
const number = { type: 'number' };
const integer = { type: 'integer' };
const timestamp = { type: 'string' };
const timestamp_or_null = { type: ['string', 'null'] };

export const querystring = {
  type: 'object',
  properties: {
    ids: { type: 'array', items: integer },
    frequencies: texts,
    subscription_statuses: texts,
    statuses: texts,
    country_codes: texts,
    providers: texts,
    is_spammed: flag,
    is_active_spam_check: flag,
    activated_after: time,
    activated_before: time,
    next_payment_after: time,
    next_payment_before: time,
    q: { type: 'string', maxLength: 200 },
    sort_by: { enum: Object.keys(sorts), default: '_default' },
    sort_order: { enum: ['asc', 'desc'], default: 'asc' },
    page: { type: 'integer', minimum: 1, default: 1 },
    page_size: { type: 'integer', minimum: 1, maximum: 1000, default: 10 },
  },
};

export const reply = {
  type: 'object',
  properties: {
    data: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: integer,
          did: text,
          comment: text,
          country: text,
          country_code: text,
          provider: text,
          status: text,
          subscription_status: text,
          frequency: text,
          activation: number,
          monthly: number,
          incoming: number,
          created_at: timestamp,
          activated_at: timestamp_or_null,
          next_payment_at: timestamp_or_null,
          is_active_spam_check: flag,
          is_spammed: flag,
          spam_checked_at: timestamp_or_null,
        },
      },
    },
    page: integer,
    page_size: integer,
    total: integer,
    total_pages: integer,
  },
};
