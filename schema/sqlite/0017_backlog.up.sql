-- Operators' events of the last minutes in one order, that of their commits: the stream
-- of bridge mode, which resumes from it at any node. Old ones are pruned.
CREATE TABLE backlog (
	number     INTEGER NOT NULL PRIMARY KEY,
	session    INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
	at         INTEGER NOT NULL,
	type       TEXT    NOT NULL,
	source     TEXT    NOT NULL,
	message_id TEXT    NOT NULL,
	payload    TEXT    NOT NULL
) STRICT;
CREATE INDEX backlog_session ON backlog (session);
