-- Tables of jambonz as its recipe reads them.
create table accounts (account_sid char(36) primary key, name varchar(64) not null, service_provider_sid char(36) not null,
  is_active boolean not null default true, created_at datetime not null default current_timestamp);
insert into accounts (account_sid, name, service_provider_sid, is_active) values
  ('9351f46a-0000-4000-8000-000000000001', 'Harbour Dental', '2708b1b3-0000-4000-8000-000000000009', true),
  ('9351f46a-0000-4000-8000-000000000002', 'Left long ago', '2708b1b3-0000-4000-8000-000000000009', false);

create table voip_carriers (voip_carrier_sid char(36) primary key, name varchar(64) not null);
insert into voip_carriers values ('5145b436-0000-4000-8000-000000000005', 'Thameswire');

create table phone_numbers (phone_number_sid char(36) primary key, number varchar(132) not null, voip_carrier_sid char(36),
  account_sid char(36), service_provider_sid char(36));
insert into phone_numbers values
  ('964d0581-0000-4000-8000-000000000001', '442079460051', '5145b436-0000-4000-8000-000000000005', '9351f46a-0000-4000-8000-000000000001', null),
  ('964d0581-0000-4000-8000-000000000002', '+493023125052', null, '9351f46a-0000-4000-8000-000000000001', null),
  -- Without an owner, for tests, and no number.
  ('964d0581-0000-4000-8000-000000000003', '442079460053', '5145b436-0000-4000-8000-000000000005', null, null),
  ('964d0581-0000-4000-8000-000000000004', '442079460054', '5145b436-0000-4000-8000-000000000005', '9351f46a-0000-4000-8000-000000000001',
    '2708b1b3-0000-4000-8000-000000000009'),
  ('964d0581-0000-4000-8000-000000000005', 'agent-7', '5145b436-0000-4000-8000-000000000005', '9351f46a-0000-4000-8000-000000000001', null),
  -- Of a length that SIP allows and a number has not.
  ('964d0581-0000-4000-8000-000000000006', '1234567890123456', null, '9351f46a-0000-4000-8000-000000000001', null);
