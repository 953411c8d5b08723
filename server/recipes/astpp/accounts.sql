-- ASTPP 4 to 6 (MySQL, MariaDB): customers and resellers, for linecard-server pull accounts.
--
-- Look at
--   account_id  accounts.id, which never changes. If your customers know their account number instead, write
--               a.number here (and r.number), and in the other two files.
--   parent_id   the reseller of a customer, or of another reseller.
--   currency    orders hold prices in the base currency, whatever currency a customer is shown.
-- Left out
--   providers, administrators, and accounts that are deleted.
select a.id as account_id,
  coalesce(nullif(a.company_name, ''), nullif(trim(concat(a.first_name, ' ', a.last_name)), ''), a.number) as name,
  (select upper(s.value) from `system` s where s.name = 'base_currency' limit 1) as currency,
  r.id as parent_id,
  a.status <> 0 as disabled
from accounts a
  left join accounts r on r.id = a.reseller_id and r.type = 1 and r.deleted = 0
where a.type in (0, 1) and a.deleted = 0
order by a.id
