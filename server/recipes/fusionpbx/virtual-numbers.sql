-- FusionPBX (PostgreSQL): inbound destinations, for linecard-server pull virtual-numbers.
--
-- Look at
--   account_id  the domain, as in accounts.sql.
--   id          the digits of the number, as FusionPBX has UUIDs alone. Two destinations with one number are refused:
--               its setting destinations/unique prevents that.
--   did         destination_prefix is the country code. A number without one stays as it is, and has no country.
--   created_at  insert_date, which older rows do not have: a constant then.
-- Left out
--   outbound and local destinations, those of no domain, and what is no number of 3 to 15 digits, such as a pattern.
--   charges and payments: FusionPBX has none, so that they are 0 and null, and the frequency is one_time.
select n.digits::bigint as id,
  n.domain_uuid::text as account_id,
  case when n.is_international then '+' || n.digits else n.digits end as did,
  n.destination_description as comment,
  case when n.destination_enabled::text = 'true' then 'active' else 'disabled' end as status,
  case when n.destination_enabled::text = 'true' then 'active' else 'disabled' end as subscription_status,
  'one_time' as frequency,
  coalesce(n.insert_date, timestamptz '2000-01-01 00:00:00+00') as created_at
from (
    select d.*, coalesce(d.destination_prefix, '') <> '' or d.destination_number like '+%' as is_international,
      ltrim(concat(d.destination_prefix, d.destination_number), '+') as digits
    from v_destinations d
  ) n
  join v_domains o on o.domain_uuid = n.domain_uuid
where n.destination_type = 'inbound' and n.digits ~ '^[0-9]{3,15}$'
order by n.digits
