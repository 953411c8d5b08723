-- jambonz (MySQL, MariaDB): the numbers of accounts, for linecard-server pull virtual-numbers.
--
-- Look at
--   id          the digits of the number, as jambonz has UUIDs alone. A number that two carriers have is refused:
--               leave one of them out.
--   did         international numbers without a plus. If yours are national, write the country code here.
--   provider    the name of the carrier, as customers read it. Leave the line out to keep it to yourself.
--   created_at  jambonz does not record it: a constant.
-- Left out
--   numbers of no account, test numbers (service_provider_sid is set), and what is no number of 3 to 15 digits, such
--   as the name of a SIP user.
--   charges and payments: jambonz has none, so that they are 0 and null, and the frequency is one_time.
select cast(trim(leading '+' from n.number) as unsigned) as id,
  n.account_sid as account_id,
  concat('+', trim(leading '+' from n.number)) as did,
  coalesce(v.name, '') as provider,
  'active' as status,
  'active' as subscription_status,
  'one_time' as frequency,
  '2000-01-01T00:00:00Z' as created_at
from phone_numbers n
  join accounts a on a.account_sid = n.account_sid
  left join voip_carriers v on v.voip_carrier_sid = n.voip_carrier_sid
where n.service_provider_sid is null and n.number regexp '^[+]?[0-9]{3,15}$'
order by n.number
