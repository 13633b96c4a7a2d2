-- Topics of rehearsed questions: groups of alike ones of a site's visitors. name is empty until a
-- person gives one. tokens is what all answers to a question took.
CREATE TABLE ai_topics (
	id      TEXT   NOT NULL PRIMARY KEY,
	site    TEXT   NOT NULL,
	name    TEXT   NOT NULL DEFAULT '',
	made_at BIGINT NOT NULL
);
ALTER TABLE rehearsals ADD COLUMN topic TEXT NOT NULL DEFAULT '';
ALTER TABLE rehearsals ADD COLUMN tokens BIGINT NOT NULL DEFAULT 0;
CREATE INDEX rehearsals_topic ON rehearsals (topic);
