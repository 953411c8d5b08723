-- for: sqlite, postgres
-- What was done, by whom and from where: every import with its counts, and what became of tokens. Each row is written in
-- the transaction of what it records (audit.ts), and none is ever changed.

create table imports (
  id               text   collate "C" primary key,
  finished_at      text   collate "C" not null,
  list             text   collate "C" not null,
  -- How it came in: command, intake, pull or watch; who brought it, and out of which files or which address.
  origin           text   collate "C" not null,
  actor            text   collate "C" not null,
  source           text   collate "C" not null,
  mode             text   collate "C" not null,
  rows             bigint not null,
  inserted         bigint not null,
  updated          bigint not null,
  unchanged        bigint not null,
  removed          bigint not null,
  accounts_created bigint not null
);

create index imports_by_list on imports (list, finished_at);

-- for: sqlite-tokens, postgres
create table token_events (
  id         text collate "C" primary key,
  at         text collate "C" not null,
  event      text collate "C" not null,
  token_id   text collate "C" not null,
  -- None for a token of an operator.
  account_id text collate "C",
  name       text collate "C" not null,
  origin     text collate "C" not null,
  actor      text collate "C" not null
);

create index token_events_by_time on token_events (at);

-- for: postgres
-- The roles that serve were set up before there were these tables: they get what `migrate --serving-role` would give them.
do $$
declare
  serving record;
begin
  for serving in
    select distinct rolname, quote_ident(rolname) as name from pg_roles
    where not rolsuper and has_column_privilege(rolname, 'tokens', 'last_used_at', 'update')
      and not pg_has_role(rolname, (select relowner from pg_class where oid = 'tokens'::regclass), 'member')
  loop
    execute format('grant insert on token_events to %s', serving.name);
    execute format('grant select on imports to %s', serving.name);
    if (select relrowsecurity from pg_class where oid = 'tokens'::regclass) then
      alter table token_events enable row level security;
      execute format('drop policy if exists linecard_insert on token_events');
      execute format('create policy linecard_insert on token_events for insert to %s
        with check (token_id = current_setting(''linecard.token_id'', true))', serving.name);
    end if;
  end loop;
end
$$;
