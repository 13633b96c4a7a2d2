-- Lists find sessions by listed_at: the time of the last activity, or one at most a minute
-- before it. Most messages leave it, and so all indexes of sessions, as they are.
DROP INDEX sessions_first;
DROP INDEX sessions_others;
DROP INDEX sessions_site;
DROP INDEX sessions_empty;
ALTER TABLE sessions ADD COLUMN listed_at BIGINT NOT NULL DEFAULT 0;
UPDATE sessions SET listed_at = last_activity;
CREATE INDEX sessions_first ON sessions (status, listed_at, id) WHERE site = '' AND started_at > 0;
CREATE INDEX sessions_others ON sessions (status, listed_at, id) WHERE site <> '' AND started_at > 0;
CREATE INDEX sessions_site ON sessions (site, status, listed_at, id) WHERE site <> '' AND started_at > 0;
CREATE INDEX sessions_empty ON sessions (listed_at, id) WHERE started_at = 0;
-- A page keeps room for the next form of a session.
ALTER TABLE sessions SET (fillfactor = 85);
-- A relay of the version before, which may still run beside this one, does not know listed_at.
CREATE FUNCTION session_listed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.listed_at := NEW.last_activity;
	RETURN NEW;
END $$;
CREATE TRIGGER session_listed BEFORE INSERT OR UPDATE OF last_activity ON sessions
	FOR EACH ROW WHEN (NEW.last_activity - NEW.listed_at NOT BETWEEN 0 AND 59999)
	EXECUTE FUNCTION session_listed();
