-- A2Billing 1.6 and newer (MySQL, MariaDB): subscriptions of cards, for linecard-server pull additional-services.
--
-- Look at
--   account_id  cc_card.id, as in accounts.sql.
--   title       what the subscription is called, or else the service.
--   monthly     fee is a FLOAT, which makes 19.950001 of 19.95: three decimals are exact up to 8,000.
--   subscription_status
--               cancelled after the stop date, suspended where the last bill is unpaid (paid_status 3).
-- The tables are MyISAM, which has no snapshot. Run it at a quiet hour, and with a low --max-removed, so that a pull
-- that saw half of a change is refused.
select s.id,
  c.id as account_id,
  coalesce(nullif(s.product_name, ''), f.label) as title,
  f.label as service_name,
  case when nullif(s.stopdate, 0) <= now() then 'cancelled' when s.paid_status = 3 then 'suspended' else 'active' end
    as subscription_status,
  'monthly' as frequency,
  cast(f.fee as decimal(15, 3)) as monthly,
  nullif(s.startdate, 0) as activated_at,
  case when nullif(s.stopdate, 0) <= now() then null else nullif(s.next_billing_date, 0) end as next_payment_at
from cc_card_subscription s
  join cc_subscription_service f on f.id = s.id_subscription_fee
  join cc_card c on c.id = s.id_cc_card
order by s.id
