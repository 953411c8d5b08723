-- ASTPP 4 to 6 (MySQL, MariaDB): orders of subscriptions and packages, for linecard-server pull
-- additional-services.
--
-- Look at
--   account_id  accounts.id, as in accounts.sql.
--   category    of all products that are neither DIDs nor refills: every service is listed. If a product is one of
--               your core modules, add a column category (core, lead or reputation are not listed).
--   monthly     the price of the order: what this customer pays. A year's and a quarter's price is divided into
--               months; any other period keeps its name (every_7_days) and is converted to 30 days.
--   next_payment_at
--               ASTPP writes times in UTC, and 1000-01-01 or zero for none.
-- Left out
--   orders      that are terminated, of accounts that are deleted, and of resellers: ASTPP makes one with each
--               order of a customer of theirs.
--   prices      products.buy_cost is what you pay: never map it.
select i.id,
  i.accountid as account_id,
  i.name as title,
  'active' as subscription_status,
  i.frequency,
  i.setup_fee + if(i.frequency = 'one_time', i.price, 0) as activation,
  case i.frequency
    when 'monthly' then i.price
    when 'quarterly' then round(i.price / 3, 6)
    when 'yearly' then round(i.price / 12, 6)
    when 'one_time' then 0
    else round(i.price * 30 / i.billing_days, 6)
  end as monthly,
  case when o.order_date > '1970-01-02' then o.order_date end as activated_at,
  case when i.frequency <> 'one_time' and i.next_billing_date > '1970-01-02' then i.next_billing_date end
    as next_payment_at
from (
    select oi.id, oi.accountid, oi.order_id, p.name, oi.price, oi.setup_fee, oi.billing_days, oi.next_billing_date,
      case
        when oi.billing_type = 0 or oi.billing_days = 0 then 'one_time'
        when oi.billing_type = 2 or oi.billing_days between 28 and 31 then 'monthly'
        when oi.billing_days between 89 and 92 then 'quarterly'
        when oi.billing_days between 360 and 366 then 'yearly'
        else concat('every_', oi.billing_days, '_days')
      end as frequency
    from order_items oi
      join products p on p.id = oi.product_id
      join category k on k.id = p.product_category and k.code not in ('DID', 'REFILL')
    where oi.is_terminated = 0
  ) i
  join accounts a on a.id = i.accountid and a.type = 0 and a.deleted = 0
  left join orders o on o.id = i.order_id
order by i.id
