-- 1 when later deliveries of the same session need not wait for this one: the
-- sink refuses it while it takes others.
ALTER TABLE deliveries ADD COLUMN passed INTEGER NOT NULL DEFAULT 0;
