-- The words of messages, by which operators find them: relay makes them, folded, after
-- a message is stored, in order per session. number grows with the message's time. A
-- message that is erased takes its words along.
CREATE TABLE search_texts (
	number  BIGINT   NOT NULL PRIMARY KEY,
	session BIGINT   NOT NULL,
	seq     BIGINT   NOT NULL,
	words   TSVECTOR NOT NULL,
	FOREIGN KEY (session, seq) REFERENCES messages (session, seq) ON DELETE CASCADE
);
CREATE UNIQUE INDEX search_texts_message ON search_texts (session, seq);
CREATE INDEX search_texts_words ON search_texts USING GIN (words) WITH (fastupdate = off);

-- behind is the number of the session below which an older database is not indexed
-- yet, 0 when all is.
CREATE TABLE search_progress (
	one    INTEGER NOT NULL PRIMARY KEY,
	behind BIGINT  NOT NULL
);
INSERT INTO search_progress (one, behind) SELECT 1, COALESCE(MAX(number) + 1, 0) FROM sessions;
