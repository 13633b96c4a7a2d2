-- What statistics need of 512 sessions in a row, by their number / 512: relay makes it
-- after they began, and reads it instead of them. latest is when something happened to one
-- of them last, 0 as long as facts is not made; maker tells who makes it.
CREATE TABLE digests (
	portion INTEGER NOT NULL PRIMARY KEY,
	maker   INTEGER NOT NULL,
	latest  INTEGER NOT NULL,
	facts   BLOB    NOT NULL
) STRICT;

-- Sessions that have changed since the digest of their portion was begun.
CREATE TABLE digest_changes (session INTEGER NOT NULL PRIMARY KEY) STRICT;

CREATE TRIGGER digest_message_added AFTER INSERT ON messages
WHEN EXISTS (SELECT 1 FROM digests WHERE portion = NEW.session / 512) BEGIN
	INSERT INTO digest_changes VALUES (NEW.session) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER digest_message_changed AFTER UPDATE OF sender, created_at, operator_name, operator_id, source_bridge, internal ON messages
WHEN EXISTS (SELECT 1 FROM digests WHERE portion = NEW.session / 512) BEGIN
	INSERT INTO digest_changes VALUES (NEW.session) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER digest_message_gone AFTER DELETE ON messages
WHEN EXISTS (SELECT 1 FROM digests WHERE portion = OLD.session / 512) BEGIN
	INSERT INTO digest_changes VALUES (OLD.session) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER digest_entry_added AFTER INSERT ON timeline
WHEN NEW.type IN ('session_closed', 'ai_takeover') AND EXISTS (SELECT 1 FROM digests WHERE portion = NEW.session / 512) BEGIN
	INSERT INTO digest_changes VALUES (NEW.session) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER digest_entry_changed AFTER UPDATE ON timeline
WHEN EXISTS (SELECT 1 FROM digests WHERE portion = NEW.session / 512) BEGIN
	INSERT INTO digest_changes VALUES (NEW.session) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER digest_entry_gone AFTER DELETE ON timeline
WHEN OLD.type IN ('session_closed', 'ai_takeover') AND EXISTS (SELECT 1 FROM digests WHERE portion = OLD.session / 512) BEGIN
	INSERT INTO digest_changes VALUES (OLD.session) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER digest_session_added AFTER INSERT ON sessions
WHEN EXISTS (SELECT 1 FROM digests WHERE portion = NEW.number / 512) BEGIN
	INSERT INTO digest_changes VALUES (NEW.number) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER digest_session_changed AFTER UPDATE OF status, started_at, answered_at, csat_responded_at, csat_score, csat_comment ON sessions
WHEN (NEW.status, NEW.started_at, NEW.answered_at, NEW.csat_responded_at, NEW.csat_score, NEW.csat_comment)
	IS NOT (OLD.status, OLD.started_at, OLD.answered_at, OLD.csat_responded_at, OLD.csat_score, OLD.csat_comment)
	AND EXISTS (SELECT 1 FROM digests WHERE portion = NEW.number / 512) BEGIN
	INSERT INTO digest_changes VALUES (NEW.number) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER digest_session_gone AFTER DELETE ON sessions
WHEN EXISTS (SELECT 1 FROM digests WHERE portion = OLD.number / 512) BEGIN
	INSERT INTO digest_changes VALUES (OLD.number) ON CONFLICT DO NOTHING;
END;
