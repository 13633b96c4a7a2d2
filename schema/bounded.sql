-- What a database in memory has beyond the steps: it counts what it holds, and
-- forgets a delivery once it is settled and an event once no delivery needs it.

-- Nobody lists or searches here; what is idle for longest is evicted first.
DROP INDEX sessions_started;
DROP INDEX sessions_empty;
DROP INDEX sessions_resumable;
DROP INDEX sessions_token;
DROP INDEX sessions_visitor;
DROP INDEX deliveries_failed;
DROP INDEX deliveries_pending;
CREATE INDEX sessions_idle ON sessions (last_activity);
CREATE INDEX links_created ON links (created_at);

-- How much there is of a kind: 'sessions', 'messages', 'links', and for each
-- destination 'queue'. bytes counts the texts whose length others choose.
CREATE TABLE held (
	kind  TEXT    NOT NULL,
	dest  TEXT    NOT NULL,
	n     INTEGER NOT NULL,
	bytes INTEGER NOT NULL,
	PRIMARY KEY (kind, dest)
) STRICT, WITHOUT ROWID;
INSERT INTO held VALUES ('sessions', '', 0, 0), ('messages', '', 0, 0), ('links', '', 0, 0);

CREATE TRIGGER session_created AFTER INSERT ON sessions BEGIN
	UPDATE held SET n = n + 1, bytes = bytes + OCTET_LENGTH(NEW.visitor_id) + OCTET_LENGTH(NEW.metadata) + OCTET_LENGTH(NEW.identity)
		+ OCTET_LENGTH(NEW.prechat) + OCTET_LENGTH(NEW.csat_comment) WHERE kind = 'sessions' AND dest = '';
	UPDATE sessions SET search = '' WHERE number = NEW.number;
END;
CREATE TRIGGER session_changed AFTER UPDATE OF visitor_id, metadata, identity, prechat, csat_comment ON sessions BEGIN
	UPDATE held SET bytes = bytes + OCTET_LENGTH(NEW.visitor_id) + OCTET_LENGTH(NEW.metadata) + OCTET_LENGTH(NEW.identity)
		+ OCTET_LENGTH(NEW.prechat) + OCTET_LENGTH(NEW.csat_comment) - OCTET_LENGTH(OLD.visitor_id) - OCTET_LENGTH(OLD.metadata)
		- OCTET_LENGTH(OLD.identity) - OCTET_LENGTH(OLD.prechat) - OCTET_LENGTH(OLD.csat_comment) WHERE kind = 'sessions' AND dest = '';
	UPDATE sessions SET search = '' WHERE number = NEW.number;
END;
CREATE TRIGGER session_erased AFTER DELETE ON sessions BEGIN
	UPDATE held SET n = n - 1, bytes = bytes - OCTET_LENGTH(OLD.visitor_id) - OCTET_LENGTH(OLD.metadata) - OCTET_LENGTH(OLD.identity)
		- OCTET_LENGTH(OLD.prechat) - OCTET_LENGTH(OLD.csat_comment) WHERE kind = 'sessions' AND dest = '';
END;

CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
	UPDATE held SET n = n + 1, bytes = bytes + OCTET_LENGTH(NEW.content) + OCTET_LENGTH(NEW.attachments) + OCTET_LENGTH(NEW.sources) WHERE kind = 'messages' AND dest = '';
END;
CREATE TRIGGER message_changed AFTER UPDATE OF content, attachments, sources ON messages
WHEN NEW.content <> OLD.content OR NEW.attachments <> OLD.attachments OR NEW.sources <> OLD.sources BEGIN
	UPDATE held SET bytes = bytes + OCTET_LENGTH(NEW.content) + OCTET_LENGTH(NEW.attachments) + OCTET_LENGTH(NEW.sources)
		- OCTET_LENGTH(OLD.content) - OCTET_LENGTH(OLD.attachments) - OCTET_LENGTH(OLD.sources) WHERE kind = 'messages' AND dest = '';
END;
CREATE TRIGGER message_forgotten AFTER DELETE ON messages BEGIN
	UPDATE held SET n = n - 1, bytes = bytes - OCTET_LENGTH(OLD.content) - OCTET_LENGTH(OLD.attachments) - OCTET_LENGTH(OLD.sources) WHERE kind = 'messages' AND dest = '';
END;

CREATE TRIGGER link_saved AFTER INSERT ON links BEGIN
	UPDATE held SET n = n + 1 WHERE kind = 'links' AND dest = '';
END;
CREATE TRIGGER link_dropped AFTER DELETE ON links BEGIN
	UPDATE held SET n = n - 1 WHERE kind = 'links' AND dest = '';
END;

-- A delivery counts the payload of its event if that is written, else 256 bytes:
-- the message that tells the event is counted as a message. Deliveries are written
-- before their event and removed before it.
CREATE TRIGGER delivery_queued AFTER INSERT ON deliveries BEGIN
	INSERT INTO held VALUES ('queue', NEW.dest, 1, 256) ON CONFLICT (kind, dest) DO UPDATE SET n = n + 1, bytes = bytes + 256;
END;
CREATE TRIGGER delivery_removed AFTER DELETE ON deliveries BEGIN
	UPDATE held SET n = n - 1, bytes = bytes - COALESCE(
			(SELECT OCTET_LENGTH(payload) FROM events WHERE session = OLD.session AND rev = OLD.rev), 256)
		WHERE kind = 'queue' AND dest = OLD.dest;
	DELETE FROM events WHERE session = OLD.session AND rev = OLD.rev
		AND NOT EXISTS (SELECT 1 FROM deliveries WHERE session = OLD.session AND rev = OLD.rev);
END;
CREATE TRIGGER session_going BEFORE DELETE ON sessions BEGIN
	DELETE FROM deliveries WHERE session = OLD.number;
END;
CREATE TRIGGER delivery_settled AFTER UPDATE OF state ON deliveries WHEN NEW.state > 1 BEGIN
	DELETE FROM deliveries WHERE session = NEW.session AND rev = NEW.rev AND dest = NEW.dest;
END;
-- No log of attempts is kept.
CREATE TRIGGER delivery_tried AFTER UPDATE OF tries ON deliveries WHEN NEW.tries <> '' BEGIN
	UPDATE deliveries SET tries = '' WHERE session = NEW.session AND rev = NEW.rev AND dest = NEW.dest;
END;

-- An event that nobody waits for is not written.
CREATE TRIGGER event_unwanted BEFORE INSERT ON events
WHEN NOT EXISTS (SELECT 1 FROM deliveries WHERE session = NEW.session AND rev = NEW.rev) BEGIN
	SELECT RAISE(IGNORE);
END;
CREATE TRIGGER event_written AFTER INSERT ON events BEGIN
	UPDATE held SET bytes = bytes + OCTET_LENGTH(NEW.payload) - 256
		WHERE kind = 'queue' AND dest IN (SELECT dest FROM deliveries WHERE session = NEW.session AND rev = NEW.rev);
END;
CREATE TRIGGER event_redacted AFTER UPDATE OF payload ON events BEGIN
	UPDATE held SET bytes = bytes + OCTET_LENGTH(NEW.payload) - OCTET_LENGTH(OLD.payload)
		WHERE kind = 'queue' AND dest IN (SELECT dest FROM deliveries WHERE session = NEW.session AND rev = NEW.rev);
END;
