-- What intake remembers of those who deliver, written with the rows that they deliver: how far each feed has come, and which
-- signed deliveries were committed.

-- for: sqlite, postgres
create table feeds (
  -- A digest of the name and of the accounts that its sender may write, so that no sender moves another's feed on.
  id           text collate "C" primary key,
  name         text collate "C" not null,
  sequence     bigint not null,
  committed_at text collate "C" not null
);

create table deliveries (
  -- A digest of the sender's secret, the list and the sender's id of the delivery.
  id           text collate "C" primary key,
  committed_at text collate "C" not null,
  -- What was answered, as JSON.
  summary      text collate "C" not null
);

create index deliveries_by_age on deliveries (committed_at);
