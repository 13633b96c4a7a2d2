-- merged is the same in all conversations of a site that the team said are of one person, '' in most. moved_on:
-- the visitor was last in another one of them; 1: it was closed by then, 2: it was open.
ALTER TABLE sessions ADD COLUMN merged TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN moved_on BIGINT NOT NULL DEFAULT 0;
CREATE INDEX sessions_merged ON sessions (merged) WHERE merged <> '';
