-- MagnusBilling 7 (MySQL, MariaDB): services that users have, for linecard-server pull additional-services.
--
-- Look at
--   account_id  pkg_user.id, as in accounts.sql.
--   next_payment_at
--               next_due_date is text, in the time zone of the server, and empty until somebody opens the list of
--               services in use. If yours is empty, write date_add(s.reservationdate, interval s.month_payed month).
-- Left out
--   services    that are pending or released.
select s.id,
  s.id_user as account_id,
  f.name as title,
  'active' as subscription_status,
  'monthly' as frequency,
  f.price as monthly,
  nullif(s.reservationdate, 0) as activated_at,
  convert_tz(str_to_date(nullif(s.next_due_date, ''), '%Y-%m-%d %H:%i:%s'), @@global.time_zone, '+00:00')
    as next_payment_at
from pkg_services_use s
  join pkg_services f on f.id = s.id_services
  join pkg_user c on c.id = s.id_user
where s.status = 1 and (s.releasedate is null or s.releasedate < '1984-01-01')
order by s.id
