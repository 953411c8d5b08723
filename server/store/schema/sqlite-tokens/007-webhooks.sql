-- Webhook endpoints, each with its position in the change log of its account: nothing is queued for them
-- (docs/decisions/033-webhooks-without-a-queue.md). Here, because a delivery is recorded while an import holds the write lock of the lists.

create table webhooks (
  id             text    primary key,
  account_id     text    not null,
  name           text    not null,
  url            text    not null,
  -- json, or text for chat.
  format         text    not null,
  -- What it subscribes to, as JSON arrays: lists and fields null for all, events always named.
  lists          text,
  events         text    not null,
  fields         text,
  charges        integer not null,
  -- active, paused or disabled, and why not active.
  status         text    not null,
  reason         text,
  -- The version of its secret, and until when the version before it signs as well.
  secret_version integer not null,
  overlap_until  text,
  created_at     text    not null,
  -- All changes up to this sequence are delivered. The revision tells whether the lists are the ones that it counted.
  from_sequence  integer not null,
  from_revision  text    not null,
  -- The range that is being delivered, up to this sequence; null between ranges. Of it, the delivery after the last that was
  -- answered: what it is about, and after which id.
  to_sequence    integer,
  to_revision    text,
  step           text,
  after_id       integer,
  -- How often the current delivery has failed, and when it is tried next.
  attempt        integer not null,
  next_at        text,
  failing_since  text,
  succeeded_at   text,
  -- The day of the last `payments_due`.
  due_day        text,
  -- The message id of a test that was requested and is not sent yet.
  test_id        text,
  -- The deliverer that sends to it, and until when.
  claimed_by     text,
  claimed_until  text
) strict, without rowid;

create index webhooks_by_account on webhooks (account_id);

-- The last attempts of each endpoint.
create table webhook_attempts (
  -- Begins with the microseconds at which it was sent.
  id         text    primary key,
  webhook_id text    not null,
  account_id text    not null,
  at         text    not null,
  message_id text    not null,
  type       text    not null,
  -- The HTTP status of the answer; null without an answer, and then the fault.
  status     integer,
  fault      text,
  ms         integer not null,
  -- When the delivery is tried again; null if it is not.
  next_at    text
) strict, without rowid;

create index webhook_attempts_by_webhook on webhook_attempts (webhook_id, id);
create index webhook_attempts_by_account on webhook_attempts (account_id);

-- What became of endpoints, by whom and from where (audit.ts).
create table webhook_events (
  id         text primary key,
  at         text not null,
  event      text not null,
  webhook_id text not null,
  account_id text not null,
  name       text not null,
  origin     text not null,
  actor      text not null
) strict, without rowid;

create index webhook_events_by_time on webhook_events (at);

-- The processes that send, and when each last said that it runs.
create table deliverers (
  id         text primary key,
  actor      text not null,
  started_at text not null,
  seen_at    text not null
) strict, without rowid;
