-- Further devices that a visitor goes on with hold tokens of their own: their hashes, with
-- spaces between them. link_until is until when the one link of the conversation works, in
-- milliseconds, and 0 without one. person is the id of a verified identity.
ALTER TABLE sessions ADD COLUMN devices TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN link_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN person TEXT NOT NULL DEFAULT '';
UPDATE sessions SET person = COALESCE(json_extract(identity, '$.id'), '') WHERE verified AND json_valid(identity);
CREATE INDEX sessions_person ON sessions (person, site, number) WHERE person <> '';
