-- The people who answer and administer. email is in small letters. password is an
-- argon2id hash, face changes with the picture, '' for none.
CREATE TABLE people (
	id          TEXT    NOT NULL PRIMARY KEY,
	name        TEXT    NOT NULL,
	name_key    TEXT    NOT NULL UNIQUE,
	email       TEXT    NOT NULL UNIQUE,
	role        TEXT    NOT NULL,
	password    TEXT    NOT NULL,
	face        TEXT    NOT NULL,
	preferences TEXT    NOT NULL,
	created_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE faces (
	person    TEXT NOT NULL PRIMARY KEY REFERENCES people (id) ON DELETE CASCADE,
	mime_type TEXT NOT NULL,
	data      BLOB NOT NULL
) STRICT;

-- What somebody is called on a platform: an id of the platform, or a name.
CREATE TABLE platform_names (
	bridge TEXT NOT NULL,
	name   TEXT NOT NULL,
	person TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
	PRIMARY KEY (bridge, name)
) STRICT;
CREATE INDEX platform_names_person ON platform_names (person);

-- One row per browser that is signed in. hash is that of the cookie's secret.
CREATE TABLE sign_ins (
	id         TEXT    NOT NULL PRIMARY KEY,
	hash       TEXT    NOT NULL UNIQUE,
	person     TEXT    NOT NULL REFERENCES people (id) ON DELETE CASCADE,
	created_at INTEGER NOT NULL,
	seen_at    INTEGER NOT NULL,
	agent      TEXT    NOT NULL,
	address    TEXT    NOT NULL
) STRICT;
CREATE INDEX sign_ins_person ON sign_ins (person);
CREATE INDEX sign_ins_seen ON sign_ins (seen_at);

-- Links that work once: without a person they invite one, with a person they set
-- a new password.
CREATE TABLE invitations (
	id         TEXT    NOT NULL PRIMARY KEY,
	hash       TEXT    NOT NULL UNIQUE,
	role       TEXT    NOT NULL,
	email      TEXT    NOT NULL,
	person     TEXT             REFERENCES people (id) ON DELETE CASCADE,
	invited_by TEXT    NOT NULL,
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX invitations_person ON invitations (person);

-- Who did what and when. The names stay when the person goes.
CREATE TABLE audit (
	number  INTEGER NOT NULL PRIMARY KEY,
	at      INTEGER NOT NULL,
	person  TEXT    NOT NULL,
	name    TEXT    NOT NULL,
	action  TEXT    NOT NULL,
	target  TEXT    NOT NULL,
	detail  TEXT    NOT NULL,
	address TEXT    NOT NULL,
	count   INTEGER NOT NULL
) STRICT;
CREATE INDEX audit_at ON audit (at);

ALTER TABLE messages ADD COLUMN operator_id TEXT NOT NULL DEFAULT '';
