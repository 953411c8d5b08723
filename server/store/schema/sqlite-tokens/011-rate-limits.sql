-- The requests a minute of a token that has a limit of its own; null for as many as the others.
alter table tokens add column rate_limit integer;
alter table operator_tokens add column rate_limit integer;

-- Each scrape counts those that end soon: all of what that looks at is in the index.
create index tokens_by_end on tokens (expires_at, revoked_at, kind) where expires_at is not null;
