-- The e-mails that became messages of visitors. id is a hash of the e-mail's own id, which tells one
-- that comes twice; header is that id, and text all that was in it, with what it quotes.
CREATE TABLE received_mails (
	session    INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
	id         TEXT NOT NULL,
	message_id TEXT NOT NULL,
	at         INTEGER NOT NULL,
	sender     TEXT NOT NULL,
	subject    TEXT NOT NULL,
	header     TEXT NOT NULL,
	text       TEXT NOT NULL,
	PRIMARY KEY (session, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX received_mails_at ON received_mails (session, at);
CREATE INDEX received_mails_id ON received_mails (id);
