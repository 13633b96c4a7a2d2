-- Which API key wrote a message: others do not change it.
ALTER TABLE messages ADD COLUMN key_id TEXT NOT NULL DEFAULT '';
