-- MagnusBilling 7 (MySQL, MariaDB): clients and agents, for linecard-server pull accounts.
--
-- Look at
--   account_id  pkg_user.id, which never changes. If your customers know their username instead, write u.username
--               here (and a.username), and in the other two files.
--   currency    the base currency of the configuration. An import refuses one that is no ISO 4217 code, such as $:
--               write yours.
--   parent_id   the agent of a client; the administrator is none.
--   disabled    every user that is not active (1): inactive, pending or blocked.
-- Left out
--   administrators
select u.id as account_id,
  coalesce(nullif(u.company_name, ''), nullif(trim(concat(u.firstname, ' ', u.lastname)), ''), u.username) as name,
  (select upper(c.config_value) from pkg_configuration c where c.config_key = 'base_currency' limit 1) as currency,
  a.id as parent_id,
  coalesce(u.active, 0) <> 1 as disabled
from pkg_user u
  join pkg_group_user g on g.id = u.id_group and g.id_user_type in (2, 3)
  left join (pkg_user a join pkg_group_user ag on ag.id = a.id_group and ag.id_user_type = 2) on a.id = u.id_user
order by u.id
