-- The tables of the peers: typed columns, as somebody would make them for this API. Both peers serve from them.
create extension if not exists pg_trgm;

create schema peers;

create table peers.accounts (
  id text primary key
);

create table peers.api_tokens (
  hash       text primary key,
  account_id text not null references peers.accounts (id),
  expires_at timestamptz,
  revoked_at timestamptz
);

create table peers.virtual_numbers (
  id                   bigint primary key,
  account_id           text not null references peers.accounts (id),
  did                  text not null,
  comment              text not null,
  country              text not null,
  country_code         text not null,
  provider             text not null,
  status               text not null,
  subscription_status  text not null,
  frequency            text not null,
  activation           numeric(16, 6) not null,
  monthly              numeric(16, 6) not null,
  incoming             numeric(16, 6) not null,
  created_at           timestamptz not null,
  activated_at         timestamptz,
  next_payment_at      timestamptz,
  is_active_spam_check boolean not null,
  is_spammed           boolean not null,
  spam_checked_at      timestamptz
);
