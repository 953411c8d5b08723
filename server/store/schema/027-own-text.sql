-- How the text of an item ends with its own fields, and the shape of the declarations that it was written for: a
-- row with another shape, or with none, is answered from the columns of its own fields.

-- for: sqlite
alter table virtual_numbers add column own_shape integer;
alter table virtual_numbers add column own_text text;
alter table additional_services add column own_shape integer;
alter table additional_services add column own_text text;

-- for: postgres
alter table virtual_numbers add column own_shape bigint, add column own_text text collate "C";
alter table additional_services add column own_shape bigint, add column own_text text collate "C";
