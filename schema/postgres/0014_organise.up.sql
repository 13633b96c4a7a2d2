-- How a team organises its conversations. assignee is a person's id; tags are a JSON
-- list, '' for none; waiting_since is when the visitor began to wait for an answer.
ALTER TABLE sessions ADD COLUMN assignee TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN tags TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN snoozed_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN waiting_since BIGINT NOT NULL DEFAULT 0;
UPDATE sessions SET waiting_since = last_activity WHERE status = 'open' AND unread > 0 AND started_at > 0;
CREATE INDEX sessions_waiting ON sessions (waiting_since, id) WHERE waiting_since > 0;
CREATE INDEX sessions_snoozed ON sessions (snoozed_until) WHERE snoozed_until > 0;
CREATE INDEX sessions_assignee ON sessions (assignee) WHERE assignee <> '';
CREATE INDEX sessions_tags ON sessions (tags) WHERE tags <> '';

-- owner is the person whose own answer it is, '' for one of the whole team.
CREATE TABLE own_answers (
	owner      TEXT   NOT NULL,
	name       TEXT   NOT NULL,
	content    TEXT   NOT NULL,
	saved_by   TEXT   NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (owner, name)
);
INSERT INTO own_answers (owner, name, content, saved_by, updated_at) SELECT '', name, content, saved_by, updated_at FROM saved_answers;
DROP TABLE saved_answers;
ALTER TABLE own_answers RENAME TO saved_answers;
