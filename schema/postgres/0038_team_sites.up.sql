-- The sites whose visitors somebody answers, as a JSON list of their ids; '' is all. An entry
-- of the audit list says which site it concerns by its public id, '' for relay itself.
ALTER TABLE people ADD COLUMN sites TEXT NOT NULL DEFAULT '';
ALTER TABLE invitations ADD COLUMN sites TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN site TEXT NOT NULL DEFAULT '';
