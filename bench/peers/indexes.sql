-- The indexes that a careful user makes, after the rows are in: pages, the filter and the order that are asked most, and
-- trigrams for `ilike '%…%'` on both columns that the search looks at.
create index on peers.virtual_numbers (account_id, id);

create index on peers.virtual_numbers (account_id, country_code);

create index on peers.virtual_numbers (account_id, next_payment_at, id);

create index on peers.virtual_numbers (account_id, next_payment_at desc nulls last, id desc);

create index on peers.virtual_numbers using gin (did gin_trgm_ops);

create index on peers.virtual_numbers using gin (comment gin_trgm_ops);
