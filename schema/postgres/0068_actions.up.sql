-- Requests that owners of sites have declared, and that the AI may ask for.
CREATE TABLE ai_actions (
	id         TEXT   NOT NULL PRIMARY KEY,
	site       TEXT   NOT NULL,
	name       TEXT   NOT NULL,
	about      TEXT   NOT NULL,
	method     TEXT   NOT NULL,
	url        TEXT   NOT NULL,
	parameters TEXT   NOT NULL,
	identity   TEXT   NOT NULL,
	owner      TEXT   NOT NULL,
	verified   BIGINT NOT NULL,
	changes    BIGINT NOT NULL,
	repeats    BIGINT NOT NULL,
	header     TEXT   NOT NULL,
	secret     TEXT   NOT NULL,
	made_by    TEXT   NOT NULL,
	created_at BIGINT NOT NULL,
	changed_at BIGINT NOT NULL,
	paused_at  BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX ai_actions_name ON ai_actions (site, name);

-- Each use of one, stored before the request is made. asked is the delivery because of which it was
-- asked for, claim the one that does it.
CREATE TABLE ai_acts (
	id        TEXT   NOT NULL PRIMARY KEY,
	session   BIGINT NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
	action    TEXT   NOT NULL,
	name      TEXT   NOT NULL,
	shown     TEXT   NOT NULL,
	arguments TEXT   NOT NULL,
	person    TEXT   NOT NULL,
	changes   BIGINT NOT NULL,
	state     TEXT   NOT NULL,
	reason    TEXT   NOT NULL DEFAULT '',
	asked     TEXT   NOT NULL,
	claim     TEXT   NOT NULL DEFAULT '',
	said_by   TEXT   NOT NULL DEFAULT '',
	asked_at  BIGINT NOT NULL,
	action_at BIGINT NOT NULL,
	at        BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX ai_acts_session ON ai_acts (session);
CREATE INDEX ai_acts_asked_at ON ai_acts (asked_at);
CREATE UNIQUE INDEX ai_acts_asked ON ai_acts (asked) WHERE changes = 1;
CREATE UNIQUE INDEX ai_acts_waiting ON ai_acts (session) WHERE state = 'waiting';
