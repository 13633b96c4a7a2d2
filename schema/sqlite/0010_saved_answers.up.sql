-- The texts that operators saved under a name, to answer with !name.
CREATE TABLE saved_answers (
	name       TEXT    NOT NULL PRIMARY KEY,
	content    TEXT    NOT NULL,
	saved_by   TEXT    NOT NULL,
	updated_at INTEGER NOT NULL
) STRICT;
