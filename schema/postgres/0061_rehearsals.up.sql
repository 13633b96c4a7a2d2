-- What the AI would have answered to a question that a person answered. waiting is 1 until it is asked
-- again; before is what came of it the time before.
CREATE TABLE rehearsals (
	id             TEXT   NOT NULL PRIMARY KEY,
	session        BIGINT NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
	message        TEXT   NOT NULL,
	question       TEXT   NOT NULL,
	answered       TEXT   NOT NULL,
	said           TEXT   NOT NULL DEFAULT '',
	verdict        TEXT   NOT NULL DEFAULT '',
	reason         TEXT   NOT NULL DEFAULT '',
	before_said    TEXT   NOT NULL DEFAULT '',
	before_verdict TEXT   NOT NULL DEFAULT '',
	judged         TEXT   NOT NULL DEFAULT '',
	waiting        BIGINT NOT NULL,
	asked_at       BIGINT NOT NULL,
	at             BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX rehearsals_question ON rehearsals (session, message);
CREATE INDEX rehearsals_waiting ON rehearsals (waiting, asked_at);
