-- for: sqlite, postgres
-- What a token may see, what an operator's token may do, and the account that an account is below.

alter table accounts add column parent_id text collate "C";
create index accounts_by_parent on accounts (parent_id, id) where parent_id is not null;

-- for: postgres
-- With row security, the role that serves also sees the accounts directly below those that a transaction names.
do $$
declare
  condition text;
begin
  select qual into condition from pg_policies
    where schemaname = current_schema() and tablename = 'accounts' and policyname = 'linecard_select';
  if condition is not null then
    execute format('alter policy linecard_select on accounts using ((%s) or parent_id = any (
      string_to_array(current_setting(''linecard.parent_id'', true), chr(10))))', condition);
  end if;
end $$;

-- for: sqlite-tokens, postgres
-- The lists that it may see, as a JSON array; null for all.
alter table tokens add column lists text collate "C";
alter table tokens add column charges integer not null default 1;
-- The networks that it may be used from, as a JSON array of CIDRs; null for all.
alter table tokens add column addresses text collate "C";
alter table tokens add column reach text collate "C" not null default 'account';
alter table tokens add column kind text collate "C" not null default 'token';

alter table operator_tokens add column may text collate "C" not null default '["import"]';

-- for: postgres
-- Room on each page for a row that changes, so that a token can be revoked and an account disabled on a full disk. Holds for
-- pages that are written from now on.
alter table tokens set (fillfactor = 90);
alter table operator_tokens set (fillfactor = 90);
alter table accounts set (fillfactor = 90);
