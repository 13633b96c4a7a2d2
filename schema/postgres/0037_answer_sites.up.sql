-- An answer is for the visitors of a site by its id, or of all; a site's own comes before
-- that of all with the same name.
CREATE TABLE site_answers (
	owner      TEXT   NOT NULL,
	site       TEXT   NOT NULL,
	name       TEXT   NOT NULL,
	content    TEXT   NOT NULL,
	saved_by   TEXT   NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (owner, name, site)
);
INSERT INTO site_answers (owner, site, name, content, saved_by, updated_at) SELECT owner, 'all', name, content, saved_by, updated_at FROM saved_answers;
DROP TABLE saved_answers;
ALTER TABLE site_answers RENAME TO saved_answers;
