-- The number of the session whose question a text answers, 0 for none: its title is in the
-- words of the visitor, and goes with the session.
ALTER TABLE sources ADD COLUMN session INTEGER NOT NULL DEFAULT 0;
CREATE INDEX sources_session ON sources (session) WHERE session <> 0;
