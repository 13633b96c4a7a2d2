-- What came of each attempt at a delivery, as JSON: the log of the webhook. An
-- attempt is [at, status, milliseconds, error].
ALTER TABLE deliveries ADD COLUMN tries TEXT NOT NULL DEFAULT '';
