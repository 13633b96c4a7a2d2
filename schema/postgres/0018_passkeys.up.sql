-- The passkeys of people. credential is the id that authenticators know, in base64url;
-- host is the site that it was made for, public_key that of COSE.
CREATE TABLE passkeys (
	id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	person     TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
	credential TEXT COLLATE "C" NOT NULL UNIQUE,
	host       TEXT    NOT NULL,
	public_key BYTEA   NOT NULL,
	signatures BIGINT  NOT NULL,
	name       TEXT    NOT NULL,
	created_at BIGINT  NOT NULL,
	used_at    BIGINT  NOT NULL
);
CREATE INDEX passkeys_person ON passkeys (person);

-- Challenges that were answered, until they expire: each works once.
CREATE TABLE passkey_challenges (
	hash       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	expires_at BIGINT  NOT NULL
);
