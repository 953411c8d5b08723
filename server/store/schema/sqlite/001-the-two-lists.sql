-- Accounts, their tokens and the two lists.
--
-- A listed row keeps its whole answer in `item`, the JSON text that a customer gets. The other columns are what filters,
-- search and sort keys look at, drawn from the same fields (tables.ts). Timestamps are fixed-width text in UTC with six
-- fractional digits; charges are whole millionths; flags are 0 or 1; `…_folded` is text as search and sort compare it.

create table deployment (
  name  text primary key,
  value text not null
) strict, without rowid;

-- What cursors are signed with, so that one made by any process is read by all and none can be made by hand.
insert into deployment values ('cursor_key', lower(hex(randomblob(32))));

create table accounts (
  id                  text primary key,
  name                text not null,
  created_at          text not null,
  -- A random text that changes whenever anything changes that a customer can see of the account.
  revision            text not null,
  -- How many items each list shows, so that a first page costs the same however long the list is.
  virtual_numbers     integer not null default 0,
  additional_services integer not null default 0
) strict, without rowid;

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
