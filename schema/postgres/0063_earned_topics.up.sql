-- state is learning, offered (session was asked whether the AI may answer) or answers. reason is why it
-- answers no longer, since fell_at, and session where that was seen.
ALTER TABLE ai_topics ADD COLUMN state TEXT NOT NULL DEFAULT 'learning';
ALTER TABLE ai_topics ADD COLUMN reason TEXT NOT NULL DEFAULT '';
ALTER TABLE ai_topics ADD COLUMN fell_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE ai_topics ADD COLUMN session TEXT NOT NULL DEFAULT '';

-- What the AI answered by itself in such a topic, stored before the answer; client is the message's
-- client id, rev the revision of the session up to which nothing spoke against it.
CREATE TABLE topic_answers (
	client  TEXT   NOT NULL PRIMARY KEY,
	session BIGINT NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
	topic   TEXT   NOT NULL,
	at      BIGINT NOT NULL,
	rev     BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX topic_answers_session ON topic_answers (session);
