-- What had no answer: what was asked before it, and its meaning for the embedding model.
ALTER TABLE questions ADD COLUMN context TEXT NOT NULL DEFAULT '';
ALTER TABLE questions ADD COLUMN model TEXT NOT NULL DEFAULT '';
ALTER TABLE questions ADD COLUMN vector BYTEA NOT NULL DEFAULT '';
