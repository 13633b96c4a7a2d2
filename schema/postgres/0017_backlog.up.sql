-- Operators' events of the last minutes in one order, that of their commits: the stream
-- of bridge mode, which resumes from it at any node. Old ones are pruned.
CREATE TABLE backlog (
	number     BIGINT           NOT NULL PRIMARY KEY,
	session    BIGINT           NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
	at         BIGINT           NOT NULL,
	type       TEXT             NOT NULL,
	source     TEXT             NOT NULL,
	message_id TEXT COLLATE "C" NOT NULL,
	payload    TEXT             NOT NULL
);
CREATE INDEX backlog_session ON backlog (session);
