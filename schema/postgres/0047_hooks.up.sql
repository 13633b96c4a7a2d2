-- Webhooks beside the first, which is in the settings. events are words with spaces between
-- them; paused_for is why relay itself paused one. One that has ended stays until what was to be
-- delivered to it is gone. 0 is no time.
CREATE TABLE hooks (
	id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	site       TEXT COLLATE "C" NOT NULL,
	name       TEXT    NOT NULL,
	url        TEXT    NOT NULL,
	secret     TEXT    NOT NULL,
	events     TEXT COLLATE "C" NOT NULL,
	made_by    TEXT    NOT NULL,
	created_at BIGINT  NOT NULL,
	paused_at  BIGINT  NOT NULL,
	paused_for TEXT    NOT NULL,
	ended_at   BIGINT  NOT NULL
);

-- Addresses at which programs write. hash is that of the token in the address, may has words
-- with spaces between them; signed is 1 where each request must be.
-- maker is the id of whoever made it, '' with the secret key.
CREATE TABLE incoming_hooks (
	id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	hash       TEXT COLLATE "C" NOT NULL UNIQUE,
	site       TEXT COLLATE "C" NOT NULL,
	name       TEXT    NOT NULL,
	may        TEXT COLLATE "C" NOT NULL,
	signed     BIGINT  NOT NULL,
	maker      TEXT COLLATE "C" NOT NULL,
	made_by    TEXT    NOT NULL,
	created_at BIGINT  NOT NULL,
	paused_at  BIGINT  NOT NULL,
	used_at    BIGINT  NOT NULL
);

-- What came of requests with an idempotency key. request is the hash of what was asked for.
CREATE TABLE incoming_answers (
	hook    TEXT COLLATE "C" NOT NULL REFERENCES incoming_hooks (id) ON DELETE CASCADE,
	key     TEXT COLLATE "C" NOT NULL,
	request TEXT COLLATE "C" NOT NULL,
	answer  TEXT    NOT NULL,
	at      BIGINT  NOT NULL,
	PRIMARY KEY (hook, key)
);
CREATE INDEX incoming_answers_at ON incoming_answers (at);
