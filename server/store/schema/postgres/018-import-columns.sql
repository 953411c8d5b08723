-- The columns that the rows of a run had, and how many items each of them changed, as JSON; null of earlier runs.
alter table import_runs add column columns text collate "C", add column changed text collate "C";
alter table imports add column changed text collate "C";
