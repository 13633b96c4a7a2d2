-- The conversation that the team began after this one: the visitor's browsers go on there, each once.
ALTER TABLE sessions ADD COLUMN continued_in TEXT NOT NULL DEFAULT '';
