-- The newest message that was mailed to the visitor, and whether one is being mailed.
ALTER TABLE sessions ADD COLUMN mailed_seq BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN mailing BOOLEAN NOT NULL DEFAULT FALSE;

-- What is known of an e-mail address at a site. A keyed hash hides the address, so that the
-- row may outlive its visitor: who wants no more e-mails gets none after an erasure either.
CREATE TABLE mail_addresses (
	address    TEXT COLLATE "C" NOT NULL,
	site       TEXT COLLATE "C" NOT NULL,
	state      TEXT COLLATE "C" NOT NULL,
	changed_at BIGINT           NOT NULL,
	day        BIGINT           NOT NULL,
	sent       BIGINT           NOT NULL,
	PRIMARY KEY (address, site)
);
