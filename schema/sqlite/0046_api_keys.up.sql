-- Keys for programs. scopes are words with spaces between them, sites is as that of people. A
-- personal token has its person. maker is the id of whoever made it, '' with the secret key;
-- made_with is the key with which it was made, and with which it ends. 0 is no time.
CREATE TABLE api_keys (
	id         TEXT    NOT NULL PRIMARY KEY,
	hash       TEXT    NOT NULL UNIQUE,
	name       TEXT    NOT NULL,
	scopes     TEXT    NOT NULL,
	sites      TEXT    NOT NULL,
	person     TEXT             REFERENCES people (id) ON DELETE CASCADE,
	maker      TEXT    NOT NULL,
	made_by    TEXT    NOT NULL,
	made_with  TEXT    NOT NULL,
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	used_at    INTEGER NOT NULL,
	ended_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX api_keys_person ON api_keys (person);
CREATE INDEX api_keys_made_with ON api_keys (made_with);
