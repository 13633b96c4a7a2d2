-- Sign-ins with the secret key are rows, too: person is NULL, name is what was typed. A
-- notified browser belongs to its sign-in and ends with it; one that a program added with
-- the secret key has none. Invitations end with the administrator who made them.
ALTER TABLE sign_ins ALTER COLUMN person DROP NOT NULL;
ALTER TABLE sign_ins ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE sign_ins ALTER COLUMN name DROP DEFAULT;

ALTER TABLE push_devices ADD COLUMN sign_in TEXT REFERENCES sign_ins (id) ON DELETE CASCADE;
UPDATE push_devices SET sign_in = (SELECT s.id FROM sign_ins s WHERE s.person = push_devices.person ORDER BY s.seen_at DESC LIMIT 1);
CREATE INDEX push_devices_sign_in ON push_devices (sign_in);

ALTER TABLE invitations ADD COLUMN inviter TEXT NOT NULL DEFAULT '';
UPDATE invitations SET inviter = COALESCE((SELECT p.id FROM people p WHERE p.name = invitations.invited_by), '');

-- What is said of a conversation's words goes with it.
CREATE INDEX audit_target ON audit (target);
