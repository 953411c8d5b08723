-- Room on each page of the lists for a row that changes: its new version then stands on the same page, and none of the six
-- indexes is written. Holds for pages that are written from now on.

-- for: postgres
alter table virtual_numbers set (fillfactor = 90);
alter table additional_services set (fillfactor = 90);
