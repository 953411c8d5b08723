-- jambonz (MySQL, MariaDB): accounts, for linecard-server pull accounts.
--
-- Look at
--   disabled    accounts that are not active.
-- Left out
--   currency    jambonz has no prices of numbers.
--   parents     a service provider is no account. If each of yours has a customer, add them with UNION ALL, and
--               write a.service_provider_sid as parent_id.
select a.account_sid as account_id,
  a.name,
  null as currency,
  null as parent_id,
  a.is_active <> 1 as disabled
from accounts a
order by a.account_sid
