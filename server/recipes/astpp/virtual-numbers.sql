-- ASTPP 4 to 6 (MySQL, MariaDB): the DIDs of customers, for linecard-server pull virtual-numbers.
--
-- Look at
--   account_id  accounts.id, as in accounts.sql.
--   did         international numbers without a plus. If yours are national, write the country code here.
--   provider    the name of the provider, as customers read it. Leave the line out to keep it to yourself.
--   monthly     the price of the order that is not terminated: what this customer pays. A year's and a quarter's
--               price is divided into months; any other period keeps its name (every_7_days) and is converted
--               to 30 days.
--   next_payment_at
--               of the same order. ASTPP writes times in UTC, and 1000-01-01 or zero for none.
-- Left out
--   stock       accountid 0, also where a reseller has the DID.
--   country     it is found from the number.
--   prices      products.buy_cost is what you pay: never map it. products.price is what a reseller pays, where the
--               customer is a reseller's, so that a DID without an order has no charge. Of dids.cost, connectcost,
--               monthlycost and setup some carriers make what they pay: map them only if yours is not one.
select d.id,
  a.id as account_id,
  concat('+', trim(leading '+' from d.number)) as did,
  concat_ws(', ', nullif(d.city, ''), nullif(d.province, '')) as comment,
  coalesce(nullif(v.company_name, ''), trim(concat(v.first_name, ' ', v.last_name))) as provider,
  if(d.status = 0, 'active', 'disabled') as status,
  if(d.status = 0, 'active', 'disabled') as subscription_status,
  coalesce(i.frequency, 'one_time') as frequency,
  coalesce(i.setup_fee + if(i.frequency = 'one_time', i.price, 0), 0) as activation,
  case i.frequency
    when 'monthly' then i.price
    when 'quarterly' then round(i.price / 3, 6)
    when 'yearly' then round(i.price / 12, 6)
    when 'one_time' then 0
    else coalesce(round(i.price * 30 / i.billing_days, 6), 0)
  end as monthly,
  case when o.order_date > '1970-01-02' then o.order_date else timestamp '2000-01-01 00:00:00' end as created_at,
  case when o.order_date > '1970-01-02' then o.order_date end as activated_at,
  case when i.frequency <> 'one_time' and i.next_billing_date > '1970-01-02' then i.next_billing_date end
    as next_payment_at
from dids d
  join accounts a on a.id = d.accountid and a.type in (0, 1) and a.deleted = 0
  left join (
    select product_id, accountid, order_id, price, setup_fee, billing_days, next_billing_date,
      case
        when billing_type = 0 or billing_days = 0 then 'one_time'
        when billing_type = 2 or billing_days between 28 and 31 then 'monthly'
        when billing_days between 89 and 92 then 'quarterly'
        when billing_days between 360 and 366 then 'yearly'
        else concat('every_', billing_days, '_days')
      end as frequency
    from order_items
    where id in (select max(id) from order_items where is_terminated = 0 group by product_id, accountid)
  ) i on i.product_id = d.product_id and i.accountid = d.accountid
  left join orders o on o.id = i.order_id
  left join accounts v on v.id = d.provider_id and v.type = 3
where d.accountid <> 0
order by d.id
