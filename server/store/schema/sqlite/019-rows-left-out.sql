-- How many rows the mapping of an import leaves out. The runs of imports are in the file of the tokens:
-- sqlite-tokens/009-rows-left-out.sql.
alter table imports add column left_out integer not null default 0;
