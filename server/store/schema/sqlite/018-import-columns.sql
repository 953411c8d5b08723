-- How many items each column of an import changed, as JSON; null of earlier ones. The runs of imports are in the file of the
-- tokens: sqlite-tokens/008-import-columns.sql.
alter table imports add column changed text;
