-- Accounts, their tokens and the two lists.
--
-- A listed row keeps its whole answer in `item`, the JSON text that a customer gets. The other columns are what filters,
-- search and sort keys look at, drawn from the same fields (tables.ts). Timestamps are fixed-width text in UTC with six
-- fractional digits; charges are whole millionths; flags are 0 or 1; `…_folded` is text as search and sort compare it.
-- All text is `collate "C"`, so that it compares by code points whatever the locale of the database.
--
-- Every key of the lists begins with the account, so that they can be distributed by it (docs/scaling.md).

-- for: sqlite, postgres
create table deployment (
  name  text collate "C" primary key,
  value text collate "C" not null
);

-- for: sqlite
-- What cursors are signed with, so that one made by any process is read by all and none can be made by hand.
insert into deployment values ('cursor_key', lower(hex(randomblob(32))));

-- for: postgres
-- What cursors are signed with, so that one made by any process is read by all and none can be made by hand.
insert into deployment
values ('cursor_key', encode(sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea), 'hex'));

-- for: sqlite, postgres
create table accounts (
  id                  text collate "C" primary key,
  name                text collate "C" not null,
  created_at          text collate "C" not null,
  -- A random text that changes whenever anything changes that a customer can see of the account.
  revision            text collate "C" not null,
  -- How many items each list shows, so that a first page costs the same however long the list is.
  virtual_numbers     bigint not null default 0,
  additional_services bigint not null default 0
) with (fillfactor = 80);

-- for: sqlite
create table tokens (
  -- Of the token, which itself is nowhere; the key, because every request looks one up.
  hash         text primary key,
  id           text not null unique,
  account_id   text not null references accounts (id),
  name         text not null,
  created_at   text not null,
  expires_at   text,
  revoked_at   text,
  last_used_at text
) strict, without rowid;

create table virtual_numbers (
  id                   integer primary key,
  account_id           text    not null,
  did_folded           text    not null,
  did_digits           text    not null,
  comment_folded       text    not null,
  country_folded       text    not null,
  country_code         text    not null,
  country_code_folded  text    not null,
  provider             text    not null,
  provider_folded      text    not null,
  status               text    not null,
  status_folded        text    not null,
  subscription_status  text    not null,
  frequency            text    not null,
  frequency_folded     text    not null,
  activation           integer not null,
  monthly              integer not null,
  incoming             integer not null,
  activated_at         text,
  next_payment_at      text,
  is_active_spam_check integer not null,
  is_spammed           integer not null,
  spam_checked_at      text,
  item                 text    not null
) strict;

create index virtual_numbers_by_account on virtual_numbers (account_id);

create table additional_services (
  id                         integer primary key,
  account_id                 text    not null,
  title_folded               text    not null,
  comment_folded             text    not null,
  frequency                  text    not null,
  frequency_folded           text    not null,
  activation                 integer not null,
  monthly                    integer not null,
  activated_at               text,
  next_payment_at            text,
  subscription_status        text    not null,
  subscription_status_folded text    not null,
  category                   text    not null,
  service_name               text    not null,
  service_name_folded        text    not null,
  item                       text    not null
) strict;

create index additional_services_by_account on additional_services (account_id, category);

-- for: postgres
-- Looked up before it is known whose it is. It has no foreign key, so that it need not live where the accounts do.
create table tokens (
  -- Of the token, which itself is nowhere; the key, because requests look one up.
  hash         text collate "C" primary key,
  id           text collate "C" not null unique,
  account_id   text collate "C" not null,
  name         text collate "C" not null,
  created_at   text collate "C" not null,
  expires_at   text collate "C",
  revoked_at   text collate "C",
  last_used_at text collate "C"
) with (fillfactor = 80);

create index tokens_by_account on tokens (account_id);

create table virtual_numbers (
  id                   bigint not null,
  account_id           text collate "C" not null,
  did_folded           text collate "C" not null,
  did_digits           text collate "C" not null,
  comment_folded       text collate "C" not null,
  country_folded       text collate "C" not null,
  country_code         text collate "C" not null,
  country_code_folded  text collate "C" not null,
  provider             text collate "C" not null,
  provider_folded      text collate "C" not null,
  status               text collate "C" not null,
  status_folded        text collate "C" not null,
  subscription_status  text collate "C" not null,
  frequency            text collate "C" not null,
  frequency_folded     text collate "C" not null,
  activation           bigint not null,
  monthly              bigint not null,
  incoming             bigint not null,
  activated_at         text collate "C",
  next_payment_at      text collate "C",
  is_active_spam_check smallint not null,
  is_spammed           smallint not null,
  spam_checked_at      text collate "C",
  item                 text collate "C" not null,
  primary key (account_id, id)
);

create table additional_services (
  id                         bigint not null,
  account_id                 text collate "C" not null,
  title_folded               text collate "C" not null,
  comment_folded             text collate "C" not null,
  frequency                  text collate "C" not null,
  frequency_folded           text collate "C" not null,
  activation                 bigint not null,
  monthly                    bigint not null,
  activated_at               text collate "C",
  next_payment_at            text collate "C",
  subscription_status        text collate "C" not null,
  subscription_status_folded text collate "C" not null,
  category                   text collate "C" not null,
  service_name               text collate "C" not null,
  service_name_folded        text collate "C" not null,
  item                       text collate "C" not null,
  primary key (account_id, id)
);

-- An id is unique in the whole deployment, and an import finds a row by it that moves to another account.
create unique index virtual_numbers_by_id on virtual_numbers (id);
create unique index additional_services_by_id on additional_services (id);

-- What large accounts are paged and filtered by most. Measured with accounts of 10,000 numbers: an order comes off its
-- index in 0.2 ms instead of 6, a country in 0.3 instead of 4. Each index takes 60 to 90 MB a million rows (the table is
-- 774) and 1.4 to 2.1 microseconds a row that an import changes. `null` comes last in both directions, so a date takes two.
create index virtual_numbers_by_next_payment on virtual_numbers (account_id, next_payment_at, id);
create index virtual_numbers_by_last_payment on virtual_numbers (account_id, next_payment_at desc nulls last, id desc);
create index virtual_numbers_by_did on virtual_numbers (account_id, did_folded, id);
create index virtual_numbers_by_country on virtual_numbers (account_id, country_code, id);
