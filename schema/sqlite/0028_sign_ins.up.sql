-- Sign-ins with the secret key are rows, too: person is NULL, name is what was typed. A
-- notified browser belongs to its sign-in and ends with it; one that a program added with
-- the secret key has none. Invitations end with the administrator who made them.
CREATE TABLE sign_ins_new (
	id         TEXT    NOT NULL PRIMARY KEY,
	hash       TEXT    NOT NULL UNIQUE,
	person     TEXT             REFERENCES people (id) ON DELETE CASCADE,
	name       TEXT    NOT NULL,
	created_at INTEGER NOT NULL,
	seen_at    INTEGER NOT NULL,
	agent      TEXT    NOT NULL,
	address    TEXT    NOT NULL
) STRICT;
INSERT INTO sign_ins_new SELECT id, hash, person, '', created_at, seen_at, agent, address FROM sign_ins;
DROP TABLE sign_ins;
ALTER TABLE sign_ins_new RENAME TO sign_ins;
CREATE INDEX sign_ins_person ON sign_ins (person);
CREATE INDEX sign_ins_seen ON sign_ins (seen_at);

ALTER TABLE push_devices ADD COLUMN sign_in TEXT REFERENCES sign_ins (id) ON DELETE CASCADE;
UPDATE push_devices SET sign_in = (SELECT s.id FROM sign_ins s WHERE s.person = push_devices.person ORDER BY s.seen_at DESC LIMIT 1);
CREATE INDEX push_devices_sign_in ON push_devices (sign_in);

ALTER TABLE invitations ADD COLUMN inviter TEXT NOT NULL DEFAULT '';
UPDATE invitations SET inviter = COALESCE((SELECT p.id FROM people p WHERE p.name = invitations.invited_by), '');

-- What is said of a conversation's words goes with it.
CREATE INDEX audit_target ON audit (target);
