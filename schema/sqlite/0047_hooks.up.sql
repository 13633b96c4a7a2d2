-- Webhooks beside the first, which is in the settings. events are words with spaces between
-- them; paused_for is why relay itself paused one. One that has ended stays until what was to be
-- delivered to it is gone. 0 is no time.
CREATE TABLE hooks (
	id         TEXT    NOT NULL PRIMARY KEY,
	site       TEXT    NOT NULL,
	name       TEXT    NOT NULL,
	url        TEXT    NOT NULL,
	secret     TEXT    NOT NULL,
	events     TEXT    NOT NULL,
	made_by    TEXT    NOT NULL,
	created_at INTEGER NOT NULL,
	paused_at  INTEGER NOT NULL,
	paused_for TEXT    NOT NULL,
	ended_at   INTEGER NOT NULL
) STRICT;

-- Addresses at which programs write. hash is that of the token in the address, may has words
-- with spaces between them; signed is 1 where each request must be.
-- maker is the id of whoever made it, '' with the secret key.
CREATE TABLE incoming_hooks (
	id         TEXT    NOT NULL PRIMARY KEY,
	hash       TEXT    NOT NULL UNIQUE,
	site       TEXT    NOT NULL,
	name       TEXT    NOT NULL,
	may        TEXT    NOT NULL,
	signed     INTEGER NOT NULL,
	maker      TEXT    NOT NULL,
	made_by    TEXT    NOT NULL,
	created_at INTEGER NOT NULL,
	paused_at  INTEGER NOT NULL,
	used_at    INTEGER NOT NULL
) STRICT;

-- What came of requests with an idempotency key. request is the hash of what was asked for.
CREATE TABLE incoming_answers (
	hook    TEXT    NOT NULL REFERENCES incoming_hooks (id) ON DELETE CASCADE,
	key     TEXT    NOT NULL,
	request TEXT    NOT NULL,
	answer  TEXT    NOT NULL,
	at      INTEGER NOT NULL,
	PRIMARY KEY (hook, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX incoming_answers_at ON incoming_answers (at);
