-- What a database in memory has beyond the migrations: it forgets a delivery once
-- it is settled, and an event once no delivery needs it.

-- Nobody lists, searches or counts here; what is idle for longest is evicted first.
DROP INDEX sessions_first;
DROP INDEX sessions_others;
DROP INDEX sessions_empty;
DROP INDEX sessions_resumable;
DROP INDEX sessions_token;
DROP INDEX sessions_visitor;
DROP INDEX sessions_search;
DROP INDEX sessions_browser;
DROP INDEX sessions_site;
DROP INDEX sessions_person;
DROP INDEX deliveries_failed;
DROP INDEX deliveries_pending;
DROP INDEX sessions_waits;
DROP INDEX sessions_snoozed;
DROP INDEX sessions_assignee;
DROP INDEX sessions_tags;
DROP TRIGGER digest_message_added;
DROP TRIGGER digest_message_changed;
DROP TRIGGER digest_message_gone;
DROP TRIGGER digest_entry_added;
DROP TRIGGER digest_entry_changed;
DROP TRIGGER digest_entry_gone;
DROP TRIGGER digest_session_added;
DROP TRIGGER digest_session_changed;
DROP TRIGGER digest_session_gone;
CREATE INDEX sessions_idle ON sessions (last_activity);
CREATE INDEX links_created ON links (created_at);

CREATE TRIGGER session_created AFTER INSERT ON sessions WHEN NEW.search <> '' BEGIN
	UPDATE sessions SET search = '' WHERE number = NEW.number;
END;
CREATE TRIGGER session_changed AFTER UPDATE OF search ON sessions WHEN NEW.search <> '' BEGIN
	UPDATE sessions SET search = '' WHERE number = NEW.number;
END;

CREATE TRIGGER session_deleted BEFORE DELETE ON sessions BEGIN
	DELETE FROM deliveries WHERE session = OLD.number;
END;
CREATE TRIGGER delivery_settled AFTER UPDATE OF state ON deliveries WHEN NEW.state > 1 BEGIN
	DELETE FROM deliveries WHERE session = NEW.session AND rev = NEW.rev AND dest = NEW.dest;
END;
CREATE TRIGGER delivery_deleted AFTER DELETE ON deliveries BEGIN
	DELETE FROM events WHERE session = OLD.session AND rev = OLD.rev
		AND NOT EXISTS (SELECT 1 FROM deliveries WHERE session = OLD.session AND rev = OLD.rev);
END;
-- No log of attempts is kept.
CREATE TRIGGER delivery_tried AFTER UPDATE OF tries ON deliveries WHEN NEW.tries <> '' BEGIN
	UPDATE deliveries SET tries = '' WHERE session = NEW.session AND rev = NEW.rev AND dest = NEW.dest;
END;

-- An event without deliveries is not stored; deliveries are stored before it.
CREATE TRIGGER event_unwanted BEFORE INSERT ON events
WHEN NOT EXISTS (SELECT 1 FROM deliveries WHERE session = NEW.session AND rev = NEW.rev) BEGIN
	SELECT RAISE(IGNORE);
END;
