-- The visitor's verified id of such an action is an e-mail address, which a code proves.
ALTER TABLE ai_actions ADD COLUMN by_email BIGINT NOT NULL DEFAULT 0;

-- How a session's visitor proves an e-mail address, and what the AI is to do then. code is a hash, '' if
-- none can be right; claim is the delivery that sent the code or did what was wished.
CREATE TABLE ai_proofs (
	session   BIGINT NOT NULL PRIMARY KEY REFERENCES sessions (number) ON DELETE CASCADE,
	action    TEXT NOT NULL,
	given     TEXT NOT NULL,
	state     TEXT NOT NULL,
	email     TEXT NOT NULL,
	code      TEXT NOT NULL,
	tries     BIGINT NOT NULL,
	sends     BIGINT NOT NULL,
	asked_at  BIGINT NOT NULL,
	sent_at   BIGINT NOT NULL,
	proved_at BIGINT NOT NULL,
	claim     TEXT NOT NULL
);
