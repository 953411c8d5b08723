-- What a token may see, and what an operator's token may do.

-- The lists that it may see, as a JSON array; null for all.
alter table tokens add column lists text;
alter table tokens add column charges integer not null default 1;
-- The networks that it may be used from, as a JSON array of CIDRs; null for all.
alter table tokens add column addresses text;
alter table tokens add column reach text not null default 'account';
alter table tokens add column kind text not null default 'token';

alter table operator_tokens add column may text not null default '["import"]';
