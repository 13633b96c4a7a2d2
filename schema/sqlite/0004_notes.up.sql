-- An internal note is a message that operators write to each other: no visitor
-- reads it.
ALTER TABLE messages ADD COLUMN internal INTEGER NOT NULL DEFAULT 0;
