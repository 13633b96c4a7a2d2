-- Where the AI's answers come from. A page is a row before it is fetched, so that
-- a crawl continues after a restart. state: 0 waiting, 1 read, 2 failed.
CREATE TABLE sources (
	number     BIGINT           NOT NULL PRIMARY KEY,
	id         TEXT COLLATE "C" NOT NULL UNIQUE,
	kind       TEXT             NOT NULL,
	trusted    BOOLEAN          NOT NULL,
	created_at BIGINT           NOT NULL,
	refresh_at BIGINT           NOT NULL,
	url        TEXT             NOT NULL,
	title      TEXT             NOT NULL,
	note       TEXT             NOT NULL
);

CREATE TABLE pages (
	number     BIGINT           NOT NULL PRIMARY KEY,
	source     BIGINT           NOT NULL REFERENCES sources (number) ON DELETE CASCADE,
	url        TEXT COLLATE "C" NOT NULL,
	state      INTEGER          NOT NULL,
	sitemap    BOOLEAN          NOT NULL,
	attempts   INTEGER          NOT NULL,
	next_at    BIGINT           NOT NULL,
	fetched_at BIGINT           NOT NULL,
	hash       TEXT             NOT NULL,
	etag       TEXT             NOT NULL,
	modified   TEXT             NOT NULL,
	title      TEXT             NOT NULL,
	error      TEXT             NOT NULL,
	file       BYTEA            NOT NULL
);
CREATE UNIQUE INDEX pages_source ON pages (source, url);
CREATE INDEX pages_waiting ON pages (next_at, number) WHERE state = 0;

-- title is the page's and those of the headings above. vector is the meaning as
-- the embedding model has it, '' until it was asked.
CREATE TABLE passages (
	number BIGINT           NOT NULL PRIMARY KEY,
	page   BIGINT           NOT NULL REFERENCES pages (number) ON DELETE CASCADE,
	title  TEXT             NOT NULL,
	text   TEXT             NOT NULL,
	model  TEXT COLLATE "C" NOT NULL,
	vector BYTEA            NOT NULL
);
CREATE INDEX passages_page ON passages (page);
CREATE INDEX passages_model ON passages (model);

-- The words come from relay, folded: no dictionary and no extension is needed.
CREATE TABLE passage_words (
	passage BIGINT   NOT NULL PRIMARY KEY REFERENCES passages (number) ON DELETE CASCADE,
	words   TSVECTOR NOT NULL
);
CREATE INDEX passage_words_words ON passage_words USING GIN (words);

-- What the AI could not answer. key is the question without case and signs.
CREATE TABLE questions (
	key      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	id       TEXT COLLATE "C" NOT NULL UNIQUE,
	session  BIGINT           NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
	count    INTEGER          NOT NULL,
	asked_at BIGINT           NOT NULL,
	question TEXT             NOT NULL
);
CREATE INDEX questions_session ON questions (session);
CREATE INDEX questions_asked ON questions (asked_at);
