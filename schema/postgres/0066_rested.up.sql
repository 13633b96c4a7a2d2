-- The passages that a rehearsed answer rests on, by their source and page: once one of them is gone, the
-- question is asked again. cause is the page because of which that happened last.
CREATE TABLE rehearsal_passages (
	rehearsal TEXT NOT NULL REFERENCES rehearsals (id) ON DELETE CASCADE,
	place     BIGINT NOT NULL,
	source    TEXT NOT NULL,
	url       TEXT NOT NULL,
	title     TEXT NOT NULL,
	text      TEXT NOT NULL,
	PRIMARY KEY (rehearsal, place)
);
ALTER TABLE rehearsals ADD COLUMN cause TEXT NOT NULL DEFAULT '';
