-- Tables of ASTPP 4 to 6 as its recipe reads them. Times are UTC.
create table `system` (name varchar(48), value varchar(1111));
insert into `system` values ('base_country', '85'), ('base_currency', 'EUR');

create table accounts (id int primary key, number varchar(20) not null, reseller_id int, status tinyint not null default 0,
  first_name varchar(40) not null default '', last_name varchar(40) not null default '', company_name varchar(40) not null default '',
  type tinyint default 0, deleted tinyint not null default 0);
insert into accounts values
  (1, 'admin', 0, 0, 'Administrator', '', 'Your Company', -1, 0),
  (10, '1000010', 0, 0, '', '', 'Northern Resale', 1, 0),
  (11, '1000011', 10, 0, 'Ann', 'Lee', '', 0, 0),
  (12, '1000012', null, 1, '', '', 'Harbour Dental', 0, 0),
  (13, '1000013', 0, 0, '', '', 'Left long ago', 0, 1),
  (14, '1000014', 15, 0, '', '', '', 0, 0),
  (15, '1000015', 0, 0, '', '', 'Resold no more', 1, 1),
  (20, '1000020', 0, 0, '', '', 'Thameswire', 3, 0);

create table dids (id int primary key, number varchar(40) not null, accountid int not null, parent_id int not null default 0,
  connectcost decimal(20,5) not null default 98765.4321, monthlycost decimal(20,5) not null default 98765.4321,
  setup decimal(20,5) not null default 98765.4321, cost double(20,5) not null default 98765.4321, status tinyint not null default 0,
  provider_id int not null default 0, country_id int not null default 0, city varchar(20) not null default '',
  province varchar(20) not null default '', maxchannels int not null default 0, product_id int not null);
insert into dids (id, number, accountid, parent_id, status, provider_id, country_id, city, province, product_id) values
  (101, '442079460101', 12, 0, 0, 20, 200, 'London', '', 501),
  -- In stock, ours and a reseller's.
  (102, '442079460102', 0, 0, 0, 20, 200, '', '', 502),
  (103, '442079460103', 0, 10, 0, 20, 200, '', '', 503),
  (104, '493023125104', 11, 10, 1, 0, 0, 'Berlin', 'Brandenburg', 504),
  -- Without an order: what its product costs is what the reseller pays.
  (105, '493023125105', 11, 10, 0, 0, 0, '', '', 505),
  (106, '+442079460106', 12, 0, 0, 0, 0, '', '', 506),
  (107, '442079460107', 12, 0, 0, 0, 0, '', '', 507),
  (108, '442079460108', 13, 0, 0, 0, 0, '', '', 508),
  (109, '442079460109', 12, 0, 0, 0, 0, '', '', 509);

create table category (id int primary key, code varchar(50) not null);
insert into category values (1, 'PACKAGE'), (2, 'SUBSCRIPTION'), (3, 'REFILL'), (4, 'DID');

create table products (id int primary key, name varchar(100) not null, product_category int not null,
  buy_cost decimal(20,5) not null default 98765.4321, price decimal(20,5) default 98765.4321,
  setup_fee decimal(20,5) not null default 98765.4321, billing_type tinyint not null default 1, billing_days int not null default 30);
insert into products (id, name, product_category)
  select product_id, number, 4 from dids union all select 601, '500 minutes', 1 union all select 602, 'Call recording', 2
  union all select 603, 'Top up 10', 3;

create table orders (id int primary key, order_date datetime not null);
insert into orders values (901, '2026-02-10 16:04:11'), (902, '2025-02-10 16:04:11'), (903, '1000-01-01 00:00:00'),
  (904, '0000-00-00 00:00:00'), (905, '2026-03-01 00:00:00');

create table order_items (id int primary key, order_id int not null, product_id int not null, accountid int not null,
  price decimal(10,5) not null, setup_fee decimal(10,5) not null, billing_type int not null, billing_days int not null,
  billing_date datetime not null default '1000-01-01 00:00:00', next_billing_date datetime not null,
  is_terminated tinyint not null default 0, to_currency varchar(3) not null default 'EUR');
insert into order_items (id, order_id, product_id, accountid, price, setup_fee, billing_type, billing_days, next_billing_date, is_terminated) values
  (1, 902, 501, 12, 77, 77, 2, 30, '2025-03-10 23:59:59', 1),
  (2, 901, 501, 12, 2.25, 1.5, 2, 30, '2026-12-09 23:59:59', 0),
  (3, 905, 501, 12, 88, 88, 2, 30, '2026-12-20 23:59:59', 1),
  (4, 903, 504, 11, 60, 0, 1, 365, '0000-00-00 00:00:00', 0),
  (5, 902, 506, 12, 9, 1, 0, 0, '2035-02-10 23:59:59', 0),
  (6, 904, 507, 12, 0.7, 0, 1, 7, '1000-01-01 00:00:00', 0),
  (7, 901, 509, 12, 10, 0, 1, 90, '2026-12-09 23:59:59', 0),
  (21, 901, 601, 12, 4.99, 0, 2, 30, '2026-12-09 23:59:59', 0),
  (22, 903, 602, 11, 12, 0, 1, 365, '1000-01-01 00:00:00', 0),
  (23, 905, 602, 12, 3, 2, 0, 30, '2036-03-01 23:59:59', 0),
  (24, 901, 603, 12, 10, 0, 0, 0, '2036-03-01 23:59:59', 0),
  (25, 901, 601, 12, 4.99, 0, 2, 30, '2026-12-09 23:59:59', 1),
  (26, 901, 601, 13, 4.99, 0, 2, 30, '2026-12-09 23:59:59', 0),
  -- What the reseller of 11 pays for the order of 11.
  (27, 903, 602, 10, 98765.4321, 0, 1, 365, '1000-01-01 00:00:00', 0);
