-- A2Billing (MySQL, MariaDB): the DIDs that cards use, for linecard-server pull virtual-numbers.
--
-- Look at
--   account_id  the card of the use that is activated and not released. cc_did.iduser is not it: a DID that is
--               reserved or given back can still name a card.
--   did         international numbers without a plus. If yours are national, write the country code here.
--   monthly     fixrate is a FLOAT, which makes 19.950001 of 19.95: three decimals are exact up to 8,000. Billing
--               types 2 (dial-out rate alone) and 3 (free) have no monthly charge.
--   incoming    selling_rate, per minute. connection_charge is of each call, so that it is no activation.
--   next_payment_at
--               the end of the months that are paid, as A2Billing's own billing computes it.
-- Left out
--   country     cc_country.countrycode has three letters: the country is found from the number.
--   prices      aleg_carrier_… is what you pay: never map it.
-- The tables are MyISAM, which has no snapshot. Run it at a quiet hour, and with a low --max-removed, so that a pull
-- that saw half of a change is refused.
select d.id,
  c.id as account_id,
  concat('+', trim(leading '+' from d.did)) as did,
  d.description as comment,
  if(d.activated = 1, 'active', 'disabled') as status,
  if(d.activated = 1, 'active', 'disabled') as subscription_status,
  if(d.billingtype in (0, 1), 'monthly', 'one_time') as frequency,
  if(d.billingtype in (0, 1), cast(d.fixrate as decimal(15, 3)), 0) as monthly,
  d.selling_rate as incoming,
  coalesce(nullif(u.reservationdate, 0), nullif(d.creationdate, 0), timestamp '2000-01-01 00:00:00') as created_at,
  case when d.activated = 1 then nullif(u.reservationdate, 0) end as activated_at,
  case when d.billingtype in (0, 1) and d.fixrate > 0
    then date_add(nullif(u.reservationdate, 0), interval u.month_payed month) end as next_payment_at
from cc_did d
  join cc_did_use u on u.id_did = d.id and u.activated = 1
    and (u.releasedate is null or u.releasedate < '1984-01-01')
  join cc_card c on c.id = u.id_cc_card
order by d.id
