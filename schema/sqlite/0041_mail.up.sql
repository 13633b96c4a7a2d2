-- The newest message that was mailed to the visitor, and whether one is being mailed.
ALTER TABLE sessions ADD COLUMN mailed_seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN mailing INTEGER NOT NULL DEFAULT 0;

-- What is known of an e-mail address at a site. A keyed hash hides the address, so that the
-- row may outlive its visitor: who wants no more e-mails gets none after an erasure either.
CREATE TABLE mail_addresses (
	address    TEXT    NOT NULL,
	site       TEXT    NOT NULL,
	state      TEXT    NOT NULL,
	changed_at INTEGER NOT NULL,
	day        INTEGER NOT NULL,
	sent       INTEGER NOT NULL,
	PRIMARY KEY (address, site)
) STRICT, WITHOUT ROWID;
