-- Tables of MagnusBilling 7 as its recipe reads them. Times are local, of the server's zone (+05:30).
create table pkg_configuration (config_key varchar(100), config_value varchar(200));
insert into pkg_configuration values ('base_language', 'en'), ('base_currency', 'usd');

create table pkg_group_user (id int primary key, name varchar(100), id_user_type int not null);
insert into pkg_group_user values (1, 'Administrator', 1), (2, 'Agent', 2), (3, 'Client', 3);

create table pkg_user (id int primary key, id_user int, id_group int not null, username varchar(20) not null, active tinyint,
  lastname varchar(50) not null default '', firstname varchar(50) not null default '', company_name varchar(100));
insert into pkg_user values
  (1, 1, 1, 'root', 1, '', '', ''),
  (2, 1, 2, 'resale', 1, '', '', 'Northern Resale'),
  (3, 1, 3, 'lee', 1, 'Lee', 'Ann', null),
  (4, 2, 3, 'harbour', 2, '', '', ''),
  (5, 1, 3, 'unknown', null, '', '', 'Never begun');

create table pkg_did (id int primary key, id_user int, did char(50) not null, activated int not null default 1, reserved tinyint,
  creationdate timestamp not null, startingdate timestamp not null default '0000-00-00 00:00:00',
  expirationdate timestamp not null default '0000-00-00 00:00:00', description mediumtext, fixrate float not null,
  connection_charge decimal(15,5) not null, selling_rate_1 decimal(15,5) not null, agent_client_rate_1 decimal(15,5) not null,
  buy_rate_1 decimal(15,5) not null default 98765.4321, buy_rate_2 decimal(15,5) not null default 98765.4321,
  buy_rate_3 decimal(15,5) not null default 98765.4321);
insert into pkg_did (id, id_user, did, activated, reserved, creationdate, description, fixrate, connection_charge, selling_rate_1, agent_client_rate_1) values
  (31, 3, '442079460031', 1, 1, '2025-01-01 00:00:00', 'Front desk', 19.95, 5, 0.0059, 0.02),
  -- What its agent pays, and what the client does.
  (32, 4, '551130000032', 1, 1, '2025-01-01 05:30:00', null, 98765.4321, 98765.4321, 98765.4321, 0.02),
  -- In stock.
  (33, null, '442079460033', 1, 0, '2025-01-01 00:00:00', '', 2, 0, 0, 0),
  -- Released by 3, and taken by 5.
  (34, 5, '+442079460034', 0, 1, '2025-01-01 05:30:00', '', 0.35, 0, 0, 0),
  (35, 3, '442079460035', 1, 1, '2025-01-01 00:00:00', '', 2, 0, 0, 0),
  (36, 3, '442079460036', 1, 1, '0000-00-00 00:00:00', '', 0, 0, 0, 0);

create table pkg_did_use (id int primary key, id_user int, id_did int, reservationdate timestamp not null,
  releasedate timestamp not null default '0000-00-00 00:00:00', status int, month_payed int, next_due_date varchar(30) default '');
insert into pkg_did_use values
  (1, 3, 31, '2026-02-10 21:34:11', '0000-00-00 00:00:00', 1, 10, '2026-12-10 21:34:11'),
  (2, 4, 32, '2026-02-10 21:34:11', '0000-00-00 00:00:00', 1, 10, '2026-12-10 21:34:11'),
  (3, 3, 34, '2025-03-01 00:00:00', '2025-09-01 00:00:00', 1, 6, '2025-09-01 00:00:00'),
  (4, 5, 34, '0000-00-00 00:00:00', '0000-00-00 00:00:00', 1, 0, null),
  (5, 3, 35, '2025-03-01 00:00:00', '2025-09-01 00:00:00', 0, 6, ''),
  (6, 3, 36, '0000-00-00 00:00:00', '0000-00-00 00:00:00', 1, 0, ''),
  (7, 99, 33, '2025-03-01 00:00:00', '0000-00-00 00:00:00', 1, 6, '');

create table pkg_services (id int primary key, name varchar(100) not null, type varchar(50) not null, status tinyint not null, price decimal(15,4) not null);
insert into pkg_services values (1, 'Call limit 10', 'calllimit', 1, 4.5), (2, '5 SIP users', 'sipAccountLimit', 1, 19.95);

create table pkg_services_use (id int primary key, id_user int, id_services int not null, reservationdate timestamp not null,
  releasedate timestamp not null default '0000-00-00 00:00:00', status int, month_payed int, next_due_date varchar(30) default '');
insert into pkg_services_use values
  (41, 3, 1, '2026-02-10 21:34:11', '0000-00-00 00:00:00', 1, 10, '2026-12-10 21:34:11'),
  (42, 3, 2, '0000-00-00 00:00:00', '0000-00-00 00:00:00', 1, 0, ''),
  (43, 3, 2, '2025-03-01 00:00:00', '2025-09-01 00:00:00', 0, 6, ''),
  (44, 4, 2, '2025-03-01 00:00:00', '2025-09-01 00:00:00', 1, 6, null);
