-- The AI: whether it ended in a session, how often it answered there, its drafts
-- and the pages that its answers rest on (JSON).
ALTER TABLE sessions ADD COLUMN ai_ended INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN ai_answers INTEGER NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN draft INTEGER NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN sent_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN sources TEXT NOT NULL DEFAULT '';
