-- The websites whose visitors meet the team. The first has the id '', which is that of
-- everything older; its public key is in meta. name_key is the name without case, origins a
-- JSON list.
CREATE TABLE sites (
	id          TEXT    NOT NULL PRIMARY KEY,
	name        TEXT    NOT NULL,
	name_key    TEXT    NOT NULL UNIQUE,
	address     TEXT    NOT NULL,
	color       TEXT    NOT NULL,
	public_key  TEXT    NOT NULL UNIQUE,
	origins     TEXT    NOT NULL,
	created_at  INTEGER NOT NULL,
	archived_at INTEGER NOT NULL,
	erased_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What a site has instead of relay's own settings, as JSON.
CREATE TABLE site_settings (
	site  TEXT NOT NULL,
	name  TEXT NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (site, name)
) STRICT, WITHOUT ROWID;

-- Visitors of two sites are strangers, even with the same id. The list of one site is read
-- along an index of its own, which a relay with one site does not fill; the first site's is
-- that of all, which tells by itself whose sessions are left out.
ALTER TABLE sessions ADD COLUMN site TEXT NOT NULL DEFAULT '';
DROP INDEX sessions_resumable;
CREATE UNIQUE INDEX sessions_resumable ON sessions (visitor_id, site) WHERE resumable;
DROP INDEX sessions_visitor;
CREATE INDEX sessions_visitor ON sessions (visitor_id, site, blocked);
DROP INDEX sessions_started;
CREATE INDEX sessions_started ON sessions (status, last_activity, id, site) WHERE started_at > 0;
CREATE INDEX sessions_site ON sessions (site, status, last_activity, id) WHERE site <> '' AND started_at > 0;
