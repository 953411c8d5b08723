-- FusionPBX (PostgreSQL): domains as accounts, for linecard-server pull accounts.
--
-- Look at
--   account_id  domain_uuid, which never changes. If your billing knows customers by account code, write that in
--               virtual-numbers.sql (destination_accountcode), and load the accounts from your billing.
--   name        the description of the domain, or else its name.
-- Left out
--   currency    FusionPBX has no prices.
--   parents     FusionPBX knows none.
select d.domain_uuid::text as account_id,
  coalesce(nullif(d.domain_description, ''), d.domain_name) as name,
  null as currency,
  null as parent_id,
  coalesce(d.domain_enabled::text, 'true') <> 'true' as disabled
from v_domains d
order by d.domain_name
