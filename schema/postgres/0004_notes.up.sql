-- An internal note is a message that operators write to each other: no visitor
-- reads it.
ALTER TABLE messages ADD COLUMN internal BOOLEAN NOT NULL DEFAULT FALSE;
