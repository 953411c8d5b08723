-- The id that an account got when it was renamed: of the id that it had, and in the audit log.
alter table deleted_accounts add column renamed_to text;
alter table account_events add column renamed_to text;
