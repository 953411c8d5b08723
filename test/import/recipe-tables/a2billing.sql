-- Tables of A2Billing as its recipe reads them. Times are local, of the server's zone (+05:30).
create table cc_config (config_key varchar(100) collate utf8_bin not null, config_value varchar(300) collate utf8_bin) engine=MyISAM;
insert into cc_config values ('base_country', 'DE'), ('base_currency', 'usd');

create table cc_card (id bigint primary key, username varchar(50) collate utf8_bin not null, status int not null,
  lastname varchar(50) collate utf8_bin not null, firstname varchar(50) collate utf8_bin not null,
  company_name varchar(50) collate utf8_bin not null, currency char(3) collate utf8_bin) engine=MyISAM;
insert into cc_card values
  (1, '1000001', 1, 'Lee', 'Ann', 'Harbour Dental', 'EUR'),
  (2, '1000002', 6, 'Müller', 'Jörg', '', 'USD'),
  (3, '1000003', 1, '', '', '', 'USD');

create table cc_did (id bigint primary key, iduser bigint not null, did char(50) collate utf8_bin not null, activated int not null,
  reserved int, creationdate timestamp not null default '0000-00-00 00:00:00',
  startingdate timestamp not null default '0000-00-00 00:00:00', expirationdate timestamp not null default '0000-00-00 00:00:00',
  description mediumtext collate utf8_bin, billingtype int, fixrate float not null, connection_charge decimal(15,5) not null,
  selling_rate decimal(15,5) not null, aleg_carrier_connect_charge decimal(15,5) not null default 98765.4321,
  aleg_carrier_cost_min decimal(15,5) not null default 98765.4321) engine=MyISAM;
insert into cc_did (id, iduser, did, activated, reserved, creationdate, description, billingtype, fixrate, connection_charge, selling_rate) values
  (11, 1, '442079460011', 1, 1, '2025-01-01 00:00:00', null, 0, 19.95, 0.1, 0.0059),
  -- Reserved, and in stock again: the card stays.
  (12, 1, '442079460012', 1, 1, '2025-01-01 00:00:00', '', 0, 2, 0, 0),
  -- Given back by card 1, and free for card 2.
  (13, 1, '+33140000013', 0, 1, '2025-01-01 05:30:00', 'Büro', 3, 5.5, 0, 0),
  -- The card is deleted.
  (14, 99, '442079460014', 1, 1, '2025-01-01 00:00:00', '', 0, 2, 0, 0),
  (15, 3, '493023125015', 1, 1, '0000-00-00 00:00:00', '', 1, 1234.56, 0, 0),
  -- No country has this one.
  (16, 3, '999123456', 1, 1, '2025-01-01 05:30:00', '', 2, 7, 0, 0.5);

create table cc_did_use (id bigint primary key, id_cc_card bigint, id_did bigint not null, reservationdate timestamp not null,
  releasedate timestamp null, activated int, month_payed int) engine=MyISAM;
insert into cc_did_use values
  (1, 1, 11, '2026-02-10 21:34:11', '0000-00-00 00:00:00', 1, 9),
  (2, null, 12, '2025-01-01 00:00:00', null, 0, 0),
  (3, 1, 13, '2025-03-01 00:00:00', '2025-09-01 00:00:00', 1, 6),
  (4, 2, 13, '0000-00-00 00:00:00', null, 1, 0),
  (5, 99, 14, '2025-01-01 00:00:00', null, 1, 1),
  (6, 3, 15, '0000-00-00 00:00:00', null, 1, null),
  (7, 3, 16, '2026-02-10 21:34:11', null, 1, 1);

create table cc_subscription_service (id bigint primary key, label varchar(200) collate utf8_bin not null, fee float not null) engine=MyISAM;
insert into cc_subscription_service values (1, 'Voicemail', 2.9), (2, 'Fax to mail', 19.95);

create table cc_card_subscription (id bigint primary key, id_cc_card bigint, id_subscription_fee int, startdate timestamp not null,
  stopdate timestamp not null default '0000-00-00 00:00:00', product_name varchar(100) collate utf8_bin,
  next_billing_date timestamp not null default '0000-00-00 00:00:00', paid_status tinyint not null) engine=MyISAM;
insert into cc_card_subscription values
  (21, 1, 1, '2026-02-10 21:34:11', '0000-00-00 00:00:00', '', '2026-12-10 05:30:00', 2),
  (22, 1, 2, '2026-02-10 21:34:11', '0000-00-00 00:00:00', 'Fax, second floor', '0000-00-00 00:00:00', 3),
  (23, 2, 1, '0000-00-00 00:00:00', '2025-06-01 05:30:00', null, '2025-07-01 05:30:00', 1),
  (24, 99, 1, '2026-02-10 21:34:11', '0000-00-00 00:00:00', '', '2026-12-10 05:30:00', 2);
