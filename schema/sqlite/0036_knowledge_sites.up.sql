-- Whose visitors a source answers: those of a site by its id, or of all.
ALTER TABLE sources ADD COLUMN site TEXT NOT NULL DEFAULT 'all';
