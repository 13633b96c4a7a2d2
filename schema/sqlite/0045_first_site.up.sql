-- The first site's sessions are listed along an index of their own, so that it costs the same
-- however many the other sites have. Those of all others have one together, besides that of
-- each.
DROP INDEX sessions_started;
CREATE INDEX sessions_first ON sessions (status, last_activity, id) WHERE site = '' AND started_at > 0;
CREATE INDEX sessions_others ON sessions (status, last_activity, id) WHERE site <> '' AND started_at > 0;
