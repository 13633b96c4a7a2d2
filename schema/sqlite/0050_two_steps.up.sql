-- The authenticator apps of people. secret is base32; used_step is the last period of thirty seconds
-- whose code was used: none before it is accepted again. confirmed_at is 0 until a code of the app
-- has confirmed it.
CREATE TABLE two_steps (
	person       TEXT    NOT NULL PRIMARY KEY REFERENCES people (id) ON DELETE CASCADE,
	secret       TEXT    NOT NULL,
	used_step    INTEGER NOT NULL,
	created_at   INTEGER NOT NULL,
	confirmed_at INTEGER NOT NULL
) STRICT;

-- Hashes of the recovery codes that are left: each works once.
CREATE TABLE recovery_codes (
	person TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
	hash   TEXT NOT NULL,
	PRIMARY KEY (person, hash)
) STRICT;
