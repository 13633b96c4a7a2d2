-- The passkeys of people. credential is the id that authenticators know, in base64url;
-- host is the site that it was made for, public_key that of COSE.
CREATE TABLE passkeys (
	id         TEXT    NOT NULL PRIMARY KEY,
	person     TEXT    NOT NULL REFERENCES people (id) ON DELETE CASCADE,
	credential TEXT    NOT NULL UNIQUE,
	host       TEXT    NOT NULL,
	public_key BLOB    NOT NULL,
	signatures INTEGER NOT NULL,
	name       TEXT    NOT NULL,
	created_at INTEGER NOT NULL,
	used_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX passkeys_person ON passkeys (person);

-- Challenges that were answered, until they expire: each works once.
CREATE TABLE passkey_challenges (
	hash       TEXT    NOT NULL PRIMARY KEY,
	expires_at INTEGER NOT NULL
) STRICT;
