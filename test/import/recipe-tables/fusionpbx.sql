-- Tables of FusionPBX as its recipe reads them.
create table v_domains (domain_uuid uuid primary key, domain_name text, domain_enabled text, domain_description text);
insert into v_domains values
  ('11111111-0000-4000-8000-000000000001', 'harbour.pbx.example', 'true', 'Harbour Dental'),
  ('11111111-0000-4000-8000-000000000002', 'left.pbx.example', 'false', ''),
  ('11111111-0000-4000-8000-000000000003', 'plain.pbx.example', null, null);

create table v_destinations (destination_uuid uuid primary key, domain_uuid uuid, destination_type text, destination_number text,
  destination_prefix text, destination_enabled text, destination_description text, destination_accountcode text, insert_date timestamptz);
insert into v_destinations values
  ('22222222-0000-4000-8000-000000000001', '11111111-0000-4000-8000-000000000001', 'inbound', '2079460061', '44', 'true', 'Front desk', 'H1',
    '2026-02-10 21:34:11.482913+05:30'),
  ('22222222-0000-4000-8000-000000000002', '11111111-0000-4000-8000-000000000001', 'inbound', '+493023125062', null, 'false', null, null, null),
  ('22222222-0000-4000-8000-000000000003', '11111111-0000-4000-8000-000000000001', 'inbound', '555123', '', null, '', null, '2026-02-10 00:00:00+00'),
  ('22222222-0000-4000-8000-000000000004', '11111111-0000-4000-8000-000000000001', 'inbound', '2125550164', '+1', 'true', '', null, '2026-02-10 00:00:00+00'),
  -- Outbound, local, of no domain, of a domain that is deleted, patterns, and nothing.
  ('22222222-0000-4000-8000-000000000005', '11111111-0000-4000-8000-000000000001', 'outbound', '2079460065', '44', 'true', '', null, now()),
  ('22222222-0000-4000-8000-000000000006', '11111111-0000-4000-8000-000000000001', 'local', '101', '', 'true', '', null, now()),
  ('22222222-0000-4000-8000-000000000007', null, 'inbound', '2079460067', '44', 'true', '', null, now()),
  ('22222222-0000-4000-8000-000000000008', '99999999-0000-4000-8000-000000000001', 'inbound', '2079460068', '44', 'true', '', null, now()),
  ('22222222-0000-4000-8000-000000000009', '11111111-0000-4000-8000-000000000001', 'inbound', '(\d{10})', '', 'true', '', null, now()),
  ('22222222-0000-4000-8000-00000000000a', '11111111-0000-4000-8000-000000000001', 'inbound', null, '44', 'true', '', null, now());
