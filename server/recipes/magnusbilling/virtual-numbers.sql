-- MagnusBilling 7 (MySQL, MariaDB): the DIDs that users have, for linecard-server pull virtual-numbers.
--
-- Look at
--   account_id  the user of the use that is active and not released; pkg_user.id, as in accounts.sql.
--   did         international numbers without a plus. If yours are national, write the country code here.
--   activation  connection_charge, which is taken once, when a user takes the DID.
--   monthly     fixrate is a FLOAT, which makes 19.950001 of 19.95: three decimals are exact up to 8,000.
--   incoming    per minute, of callers that match the DID's first expression.
--   next_payment_at
--               next_due_date is text, in the time zone of the server, and empty until somebody opens the list of
--               DIDs in use. If yours is empty, write date_add(u.reservationdate, interval u.month_payed month).
-- Left out
--   country     it is found from the number.
--   prices      buy_rate_1, 2 and 3 are what you pay: never map them. connection_charge, fixrate and selling_rate_1
--               are what the agent pays, where a client is an agent's: such a number shows agent_client_rate_1 alone.
select d.id,
  u.id_user as account_id,
  concat('+', trim(leading '+' from d.did)) as did,
  d.description as comment,
  if(d.activated = 1, 'active', 'disabled') as status,
  if(d.activated = 1, 'active', 'disabled') as subscription_status,
  if(a.id is null, 'monthly', 'one_time') as frequency,
  if(a.id is null, d.connection_charge, 0) as activation,
  if(a.id is null, cast(d.fixrate as decimal(15, 3)), 0) as monthly,
  if(a.id is null, d.selling_rate_1, d.agent_client_rate_1) as incoming,
  coalesce(nullif(u.reservationdate, 0), nullif(d.creationdate, 0), timestamp '2000-01-01 00:00:00') as created_at,
  case when d.activated = 1 then nullif(u.reservationdate, 0) end as activated_at,
  case when a.id is null
    then convert_tz(str_to_date(nullif(u.next_due_date, ''), '%Y-%m-%d %H:%i:%s'), @@global.time_zone, '+00:00')
  end as next_payment_at
from pkg_did d
  join pkg_did_use u on u.id_did = d.id and u.status = 1
    and (u.releasedate is null or u.releasedate < '1984-01-01')
  join pkg_user c on c.id = u.id_user
  left join (pkg_user a join pkg_group_user ag on ag.id = a.id_group and ag.id_user_type = 2) on a.id = c.id_user
order by d.id
