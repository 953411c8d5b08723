-- Webhook endpoints, each with its position in the change log of its account: nothing is queued for them
-- (docs/decisions/033-webhooks-without-a-queue.md). With SQLite they are in the file of the tokens, because a delivery is
-- recorded while an import holds the write lock of the lists; with Citus they are on the coordinator.

-- for: sqlite-tokens, postgres
create table webhooks (
  id             text   collate "C" primary key,
  account_id     text   collate "C" not null,
  name           text   collate "C" not null,
  url            text   collate "C" not null,
  -- json, or text for chat.
  format         text   collate "C" not null,
  -- What it subscribes to, as JSON arrays: lists and fields null for all, events always named.
  lists          text   collate "C",
  events         text   collate "C" not null,
  fields         text   collate "C",
  charges        bigint not null,
  -- active, paused or disabled, and why not active.
  status         text   collate "C" not null,
  reason         text   collate "C",
  -- The version of its secret, and until when the version before it signs as well.
  secret_version bigint not null,
  overlap_until  text   collate "C",
  created_at     text   collate "C" not null,
  -- All changes up to this sequence are delivered. The revision tells whether the lists are the ones that it counted.
  from_sequence  bigint not null,
  from_revision  text   collate "C" not null,
  -- The range that is being delivered, up to this sequence; null between ranges. Of it, the delivery after the last that was
  -- answered: what it is about, and after which id.
  to_sequence    bigint,
  to_revision    text   collate "C",
  step           text   collate "C",
  after_id       bigint,
  -- How often the current delivery has failed, and when it is tried next.
  attempt        bigint not null,
  next_at        text   collate "C",
  failing_since  text   collate "C",
  succeeded_at   text   collate "C",
  -- The day of the last `payments_due`.
  due_day        text   collate "C",
  -- The message id of a test that was requested and is not sent yet.
  test_id        text   collate "C",
  -- The deliverer that sends to it, and until when.
  claimed_by     text   collate "C",
  claimed_until  text   collate "C"
) with (fillfactor = 80);

create index webhooks_by_account on webhooks (account_id);

-- The last attempts of each endpoint.
create table webhook_attempts (
  -- Begins with the microseconds at which it was sent.
  id         text   collate "C" primary key,
  webhook_id text   collate "C" not null,
  account_id text   collate "C" not null,
  at         text   collate "C" not null,
  message_id text   collate "C" not null,
  type       text   collate "C" not null,
  -- The HTTP status of the answer; null without an answer, and then the fault.
  status     bigint,
  fault      text   collate "C",
  ms         bigint not null,
  -- When the delivery is tried again; null if it is not.
  next_at    text   collate "C"
);

create index webhook_attempts_by_webhook on webhook_attempts (webhook_id, id);
create index webhook_attempts_by_account on webhook_attempts (account_id);

-- What became of endpoints, by whom and from where (audit.ts).
create table webhook_events (
  id         text   collate "C" primary key,
  at         text   collate "C" not null,
  event      text   collate "C" not null,
  webhook_id text   collate "C" not null,
  account_id text   collate "C" not null,
  name       text   collate "C" not null,
  origin     text   collate "C" not null,
  actor      text   collate "C" not null
);

create index webhook_events_by_time on webhook_events (at);

-- The processes that send, and when each last said that it runs.
create table deliverers (
  id         text   collate "C" primary key,
  actor      text   collate "C" not null,
  started_at text   collate "C" not null,
  seen_at    text   collate "C" not null
);

-- for: postgres
-- Roles that were set up before get what `migrate --serving-role` and `migrate --intake-role` would give them.
do $$
declare
  grantee oid;
  name    text;
begin
  for grantee in
    select acl.grantee from pg_class, aclexplode(relacl) as acl
    where pg_class.oid = 'imports'::regclass and acl.privilege_type = 'SELECT' and acl.grantee not in (0, relowner)
  loop
    execute format('grant select on webhooks, webhook_attempts, deliverers to %I', pg_get_userbyid(grantee));
  end loop;
  for grantee in
    select acl.grantee from pg_class, aclexplode(relacl) as acl
    where pg_class.oid = 'imports'::regclass and acl.privilege_type = 'INSERT' and acl.grantee not in (0, relowner)
  loop
    execute format('grant insert, update, delete on webhooks to %I', pg_get_userbyid(grantee));
    execute format('grant delete on webhook_attempts to %I', pg_get_userbyid(grantee));
    execute format('grant insert on webhook_events to %I', pg_get_userbyid(grantee));
  end loop;
  foreach name in array array['webhooks', 'webhook_attempts'] loop
    for grantee in
      select unnest(polroles) from pg_policy where polrelid = 'virtual_numbers'::regclass and polname = 'linecard_select'
    loop
      execute format('alter table %I enable row level security', name);
      execute format(
        'create policy linecard_select on %I for select to %I using (account_id = current_setting(''linecard.account_id'', true))',
        name, pg_get_userbyid(grantee)
      );
    end loop;
    for grantee in
      select unnest(polroles) from pg_policy where polrelid = 'virtual_numbers'::regclass and polname = 'linecard_intake'
    loop
      execute format(
        'create policy linecard_intake on %I for all to %I using (true) with check (true)', name, pg_get_userbyid(grantee)
      );
    end loop;
  end loop;
end $$;
