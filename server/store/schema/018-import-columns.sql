-- for: sqlite-tokens
-- The columns that the rows of a run had, and how many items each of them changed, as JSON; null of earlier runs.
alter table import_runs add column columns text;
alter table import_runs add column changed text;

-- for: postgres
-- The columns that the rows of a run had, and how many items each of them changed, as JSON; null of earlier runs.
alter table import_runs add column columns text collate "C", add column changed text collate "C";

-- for: sqlite, postgres
alter table imports add column changed text collate "C";
