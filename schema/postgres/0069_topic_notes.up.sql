-- What operators are told of a topic, stored with its new state and gone once it is told; client is the
-- note's client id.
CREATE TABLE topic_notes (
	client  TEXT    NOT NULL PRIMARY KEY,
	session BIGINT  NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
	content TEXT    NOT NULL
);
CREATE INDEX topic_notes_session ON topic_notes (session);
