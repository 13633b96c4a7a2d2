-- The id of the first session of the browser whose token opened this one; empty when the
-- session is the first itself, or has no token. What the visitor says of itself joins nothing.
ALTER TABLE sessions ADD COLUMN browser TEXT NOT NULL DEFAULT '';
CREATE INDEX sessions_browser ON sessions (browser) WHERE browser <> '';
