-- Who ended a key and why; an expired one has neither. owner is the name of whose token it was, once
-- that person is removed.
ALTER TABLE api_keys ADD COLUMN ended_by TEXT NOT NULL DEFAULT '';
ALTER TABLE api_keys ADD COLUMN ended_for TEXT NOT NULL DEFAULT '';
ALTER TABLE api_keys ADD COLUMN owner TEXT NOT NULL DEFAULT '';
CREATE INDEX api_keys_ended ON api_keys (ended_at);
