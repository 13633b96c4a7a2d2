-- The people who answer and administer. email is in small letters. password is an
-- argon2id hash, face changes with the picture, '' for none.
CREATE TABLE people (
	id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	name        TEXT    NOT NULL,
	name_key    TEXT COLLATE "C" NOT NULL UNIQUE,
	email       TEXT COLLATE "C" NOT NULL UNIQUE,
	role        TEXT    NOT NULL,
	password    TEXT    NOT NULL,
	face        TEXT    NOT NULL,
	preferences TEXT    NOT NULL,
	created_at  BIGINT  NOT NULL
);

CREATE TABLE faces (
	person    TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES people (id) ON DELETE CASCADE,
	mime_type TEXT NOT NULL,
	data      BYTEA NOT NULL
);

-- What somebody is called on a platform: an id of the platform, or a name.
CREATE TABLE platform_names (
	bridge TEXT COLLATE "C" NOT NULL,
	name   TEXT COLLATE "C" NOT NULL,
	person TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
	PRIMARY KEY (bridge, name)
);
CREATE INDEX platform_names_person ON platform_names (person);

-- One row per browser that is signed in. hash is that of the cookie's secret.
CREATE TABLE sign_ins (
	id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	hash       TEXT COLLATE "C" NOT NULL UNIQUE,
	person     TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
	created_at BIGINT  NOT NULL,
	seen_at    BIGINT  NOT NULL,
	agent      TEXT    NOT NULL,
	address    TEXT    NOT NULL
);
CREATE INDEX sign_ins_person ON sign_ins (person);
CREATE INDEX sign_ins_seen ON sign_ins (seen_at);

-- Links that work once: without a person they invite one, with a person they set
-- a new password.
CREATE TABLE invitations (
	id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	hash       TEXT COLLATE "C" NOT NULL UNIQUE,
	role       TEXT    NOT NULL,
	email      TEXT COLLATE "C" NOT NULL,
	person     TEXT COLLATE "C" REFERENCES people (id) ON DELETE CASCADE,
	invited_by TEXT    NOT NULL,
	created_at BIGINT  NOT NULL,
	expires_at BIGINT  NOT NULL
);
CREATE INDEX invitations_person ON invitations (person);

-- Who did what and when. The names stay when the person goes.
CREATE TABLE audit (
	number  BIGINT  NOT NULL PRIMARY KEY,
	at      BIGINT  NOT NULL,
	person  TEXT COLLATE "C" NOT NULL,
	name    TEXT COLLATE "C" NOT NULL,
	action  TEXT COLLATE "C" NOT NULL,
	target  TEXT    NOT NULL,
	detail  TEXT    NOT NULL,
	address TEXT    NOT NULL,
	count   INTEGER NOT NULL
);
CREATE INDEX audit_at ON audit (at);

ALTER TABLE messages ADD COLUMN operator_id TEXT NOT NULL DEFAULT '';
