-- The e-mails that became messages of visitors. id is a hash of the e-mail's own id, which tells one
-- that comes twice; header is that id, and text all that was in it, with what it quotes.
CREATE TABLE received_mails (
	session    BIGINT NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
	id         TEXT COLLATE "C" NOT NULL,
	message_id TEXT COLLATE "C" NOT NULL,
	at         BIGINT NOT NULL,
	sender     TEXT COLLATE "C" NOT NULL,
	subject    TEXT COLLATE "C" NOT NULL,
	header     TEXT COLLATE "C" NOT NULL,
	text       TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (session, id)
);
CREATE INDEX received_mails_at ON received_mails (session, at);
CREATE INDEX received_mails_id ON received_mails (id);
