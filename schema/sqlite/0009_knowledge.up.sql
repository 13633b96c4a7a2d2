-- Where the AI's answers come from. A page is a row before it is fetched, so that
-- a crawl continues after a restart. state: 0 waiting, 1 read, 2 failed.
CREATE TABLE sources (
	number     INTEGER NOT NULL PRIMARY KEY,
	id         TEXT    NOT NULL UNIQUE,
	kind       TEXT    NOT NULL,
	trusted    INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	refresh_at INTEGER NOT NULL,
	url        TEXT    NOT NULL,
	title      TEXT    NOT NULL,
	note       TEXT    NOT NULL
) STRICT;

CREATE TABLE pages (
	number     INTEGER NOT NULL PRIMARY KEY,
	source     INTEGER NOT NULL REFERENCES sources (number) ON DELETE CASCADE,
	url        TEXT    NOT NULL,
	state      INTEGER NOT NULL,
	sitemap    INTEGER NOT NULL,
	attempts   INTEGER NOT NULL,
	next_at    INTEGER NOT NULL,
	fetched_at INTEGER NOT NULL,
	hash       TEXT    NOT NULL,
	etag       TEXT    NOT NULL,
	modified   TEXT    NOT NULL,
	title      TEXT    NOT NULL,
	error      TEXT    NOT NULL,
	file       BLOB    NOT NULL
) STRICT;
CREATE UNIQUE INDEX pages_source ON pages (source, url);
CREATE INDEX pages_waiting ON pages (next_at, number) WHERE state = 0;

-- title is the page's and those of the headings above. vector is the meaning as
-- the embedding model has it, '' until it was asked.
CREATE TABLE passages (
	number INTEGER NOT NULL PRIMARY KEY,
	page   INTEGER NOT NULL REFERENCES pages (number) ON DELETE CASCADE,
	title  TEXT    NOT NULL,
	text   TEXT    NOT NULL,
	model  TEXT    NOT NULL,
	vector BLOB    NOT NULL
) STRICT;
CREATE INDEX passages_page ON passages (page);
CREATE INDEX passages_model ON passages (model);

-- The words come from relay, folded and separated by spaces: the tokenizer only
-- has to part them.
CREATE VIRTUAL TABLE passage_words USING fts5 (title, text, content = '', contentless_delete = 1, tokenize = 'ascii');
CREATE TRIGGER passage_gone AFTER DELETE ON passages BEGIN
	DELETE FROM passage_words WHERE rowid = OLD.number;
END;

-- What the AI could not answer. key is the question without case and signs.
CREATE TABLE questions (
	key      TEXT    NOT NULL PRIMARY KEY,
	id       TEXT    NOT NULL UNIQUE,
	session  INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
	count    INTEGER NOT NULL,
	asked_at INTEGER NOT NULL,
	question TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX questions_session ON questions (session);
CREATE INDEX questions_asked ON questions (asked_at);
