-- What the team wrote down about a contact: a name, fields and notes, as JSON. kind and key say whose it
-- is: the id of a verified identity, the first session of a browser, or a visitor's id without tokens.
CREATE TABLE contacts (
	site       TEXT    NOT NULL,
	kind       TEXT    NOT NULL,
	key        TEXT    NOT NULL,
	name       TEXT    NOT NULL DEFAULT '',
	fields     TEXT    NOT NULL DEFAULT '',
	notes      TEXT    NOT NULL DEFAULT '',
	PRIMARY KEY (site, kind, key)
);
