-- How many rows the mapping of an import leaves out.
alter table import_runs add column left_out integer not null default 0;
