-- What happened in a session beside its messages: closed, reopened, rated, events
-- of the page, pages. Events are pruned; this stays as long as the messages.
CREATE TABLE timeline (
	number  BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	session BIGINT  NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
	rev     BIGINT  NOT NULL,
	at      BIGINT  NOT NULL,
	type    TEXT    NOT NULL,
	data    TEXT    NOT NULL
);
CREATE INDEX timeline_session ON timeline (session, rev, number);
INSERT INTO timeline (session, rev, at, type, data)
	SELECT session, rev, at, type, payload FROM events
	WHERE type IN ('session_closed', 'session_reopened', 'csat_request', 'csat_submitted', 'custom_event', 'visitor_disconnect', 'ai_takeover')
	ORDER BY session, rev;
