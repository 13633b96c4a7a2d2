-- What statistics need of 512 sessions in a row, by their number / 512: relay makes it
-- after they began, and reads it instead of them. latest is when something happened to one
-- of them last, 0 as long as facts is not made; maker tells who makes it.
CREATE TABLE digests (
	portion BIGINT NOT NULL PRIMARY KEY,
	maker   BIGINT NOT NULL,
	latest  BIGINT NOT NULL,
	facts   BYTEA  NOT NULL
);

-- Sessions that have changed since the digest of their portion was begun.
CREATE TABLE digest_changes (session BIGINT NOT NULL PRIMARY KEY);

-- Notes the sessions of the rows that a statement has touched.
CREATE FUNCTION digest_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
	changed BIGINT;
BEGIN
	IF TG_TABLE_NAME = 'sessions' THEN
		changed := CASE TG_OP WHEN 'DELETE' THEN OLD.number ELSE NEW.number END;
	ELSE
		changed := CASE TG_OP WHEN 'DELETE' THEN OLD.session ELSE NEW.session END;
	END IF;
	IF EXISTS (SELECT 1 FROM digests WHERE portion = changed / 512) THEN
		INSERT INTO digest_changes VALUES (changed) ON CONFLICT DO NOTHING;
	END IF;
	RETURN NULL;
END $$;

CREATE TRIGGER digest_message_added AFTER INSERT OR DELETE ON messages
	FOR EACH ROW EXECUTE FUNCTION digest_changed();
CREATE TRIGGER digest_message_changed AFTER UPDATE OF sender, created_at, operator_name, operator_id, source_bridge, internal ON messages
	FOR EACH ROW EXECUTE FUNCTION digest_changed();
CREATE TRIGGER digest_entry_added AFTER INSERT ON timeline
	FOR EACH ROW WHEN (NEW.type IN ('session_closed', 'ai_takeover')) EXECUTE FUNCTION digest_changed();
CREATE TRIGGER digest_entry_changed AFTER UPDATE ON timeline
	FOR EACH ROW EXECUTE FUNCTION digest_changed();
CREATE TRIGGER digest_entry_gone AFTER DELETE ON timeline
	FOR EACH ROW WHEN (OLD.type IN ('session_closed', 'ai_takeover')) EXECUTE FUNCTION digest_changed();
CREATE TRIGGER digest_session_added AFTER INSERT OR DELETE ON sessions
	FOR EACH ROW EXECUTE FUNCTION digest_changed();
CREATE TRIGGER digest_session_changed AFTER UPDATE OF status, started_at, answered_at, csat_responded_at, csat_score, csat_comment ON sessions
	FOR EACH ROW WHEN ((NEW.status, NEW.started_at, NEW.answered_at, NEW.csat_responded_at, NEW.csat_score, NEW.csat_comment)
		IS DISTINCT FROM (OLD.status, OLD.started_at, OLD.answered_at, OLD.csat_responded_at, OLD.csat_score, OLD.csat_comment))
	EXECUTE FUNCTION digest_changed();
