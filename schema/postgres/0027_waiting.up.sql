-- The sessions that wait: open ones, of visitors that are not blocked. A closed session
-- keeps since when its visitor waited, for the case that an operator reopens it.
DROP INDEX sessions_waiting;
CREATE INDEX sessions_waits ON sessions (waiting_since, id) WHERE waiting_since > 0 AND status = 'open' AND NOT blocked;
