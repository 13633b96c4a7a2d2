-- The revision of the event that waits for the next step of the rule for who is not answered,
-- 0 when none does.
ALTER TABLE sessions ADD COLUMN unanswered_rev INTEGER NOT NULL DEFAULT 0;
