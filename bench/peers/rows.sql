-- The same rows and tokens that Linecard has, in the columns of the peers.
insert into peers.accounts select id from public.accounts;

insert into peers.api_tokens
select hash, account_id, expires_at::timestamptz, revoked_at::timestamptz from public.tokens;

insert into peers.virtual_numbers
select one.*
from public.virtual_numbers as stored,
  jsonb_populate_record(
    null::peers.virtual_numbers,
    stored.item::jsonb || jsonb_build_object('account_id', stored.account_id)
  ) as one
order by stored.account_id, stored.id;
