-- Few acts run or wait at a time. They are looked for again and again, and almost all others are older.
CREATE INDEX ai_acts_running ON ai_acts (asked_at) WHERE state = 'running';
CREATE INDEX ai_acts_expiring ON ai_acts (asked_at) WHERE state = 'waiting';
