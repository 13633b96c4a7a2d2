-- How many bytes of its message's text an operator's platform message brought, -1 when
-- that is unknown: an album is one message of several captions.
ALTER TABLE links ADD COLUMN said BIGINT NOT NULL DEFAULT -1;
