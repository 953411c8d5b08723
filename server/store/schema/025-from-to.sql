-- What the fields of the events of an item were and are (fromToText in events.ts); null of other changes, and of older ones.

-- for: sqlite, postgres
alter table virtual_numbers_changes add column from_to text collate "C";
alter table additional_services_changes add column from_to text collate "C";
