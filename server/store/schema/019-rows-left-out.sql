-- for: sqlite, postgres
-- How many rows the mapping of an import leaves out.
alter table imports add column left_out bigint not null default 0;

-- for: sqlite-tokens, postgres
alter table import_runs add column left_out bigint not null default 0;
