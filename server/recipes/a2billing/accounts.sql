-- A2Billing (MySQL, MariaDB): cards as accounts, for linecard-server pull accounts.
--
-- Look at
--   account_id  cc_card.id, which never changes. If your customers know their username instead, write c.username
--               here and in the other two files.
--   currency    the base currency, which all money of A2Billing is in, whatever currency a card is shown.
--   disabled    every card that is not ACTIVE (1): cancelled, new, reserved, expired or suspended.
-- Left out
--   parents     an agent is a login and no card, so that there is no account for it.
-- The tables are MyISAM, which has no snapshot. Run it at a quiet hour.
select c.id as account_id,
  coalesce(nullif(c.company_name, ''), nullif(trim(concat(c.firstname, ' ', c.lastname)), ''), c.username) as name,
  (select upper(g.config_value) from cc_config g where g.config_key = 'base_currency' limit 1) as currency,
  null as parent_id,
  c.status <> 1 as disabled
from cc_card c
order by c.id
