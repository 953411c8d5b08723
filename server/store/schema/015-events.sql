-- What happened to an item, in addition to its id: the bits of its events (`EVENTS` in the contract), and of one that was
-- removed what people knew it by. Of older entries only that the item changed is known.

-- for: sqlite, postgres
alter table virtual_numbers_changes add column what integer not null default 4;
alter table virtual_numbers_changes add column label text collate "C";
alter table additional_services_changes add column what integer not null default 4;
alter table additional_services_changes add column label text collate "C";

-- The sequence after which all events are known; null for those of the whole log.
alter table change_logs add column events_after bigint;

insert into change_logs (account_id, list, events_after)
  select id, 'virtual_numbers', sequence from accounts where true
  on conflict (account_id, list) do update set events_after = excluded.events_after;
insert into change_logs (account_id, list, events_after)
  select id, 'additional_services', sequence from accounts where true
  on conflict (account_id, list) do update set events_after = excluded.events_after;
