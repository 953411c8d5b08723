-- What an operator's token that may read sees.

-- The lists that it may see, as a JSON array; null for all.
alter table operator_tokens add column lists text;
alter table operator_tokens add column charges integer not null default 1;
-- The networks that it may be used from, as a JSON array of CIDRs; null for all.
alter table operator_tokens add column addresses text;
