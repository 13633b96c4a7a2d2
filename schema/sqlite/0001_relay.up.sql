-- The first schema. Ids are TEXT, times are Unix milliseconds with 0 for
-- "never", JSON is TEXT with '' for "none", and nothing is NULL. Columns are
-- ordered by how often they are read, so that long texts come last.

PRAGMA application_id = 1919249529; -- "rely"

-- One visitor's conversation. The world knows it by its id, the other tables
-- by its number: numbers are short, and those of sessions that are active at
-- the same time lie together, so writing many messages touches few pages.
-- search is the lower-case text that the operators' search looks through.
CREATE TABLE sessions (
	number            INTEGER NOT NULL PRIMARY KEY,
	id                TEXT    NOT NULL UNIQUE,
	rev               INTEGER NOT NULL,
	init_rev          INTEGER NOT NULL,
	leaving_rev       INTEGER NOT NULL,
	status            TEXT    NOT NULL,
	blocked           INTEGER NOT NULL,
	resumable         INTEGER NOT NULL,
	verified          INTEGER NOT NULL,
	ai_active         INTEGER NOT NULL,
	unread            INTEGER NOT NULL,
	created_at        INTEGER NOT NULL,
	started_at        INTEGER NOT NULL,
	answered_at       INTEGER NOT NULL,
	last_activity     INTEGER NOT NULL,
	csat_asked_at     INTEGER NOT NULL,
	csat_score        INTEGER NOT NULL,
	csat_responded_at INTEGER NOT NULL,
	csat_comment      TEXT    NOT NULL,
	visitor_id        TEXT    NOT NULL,
	token_hash        TEXT    NOT NULL,
	metadata          TEXT    NOT NULL,
	identity          TEXT    NOT NULL,
	prechat           TEXT    NOT NULL,
	search            TEXT    NOT NULL
) STRICT;
CREATE UNIQUE INDEX sessions_resumable ON sessions (visitor_id) WHERE resumable;
CREATE UNIQUE INDEX sessions_token ON sessions (token_hash) WHERE token_hash <> '';
CREATE INDEX sessions_visitor ON sessions (visitor_id, blocked);
CREATE INDEX sessions_started ON sessions (status, last_activity, id) WHERE started_at > 0;
CREATE INDEX sessions_empty ON sessions (last_activity, id) WHERE started_at = 0;

-- seq is the revision of the event that brought the message.
-- A message's id tells its seq, so that no index of ids has to be written for
-- each message; foreign_id holds ids that do not, made by others.
-- client_key is made of client_id, which is long and random: the index of it is
-- the largest part of what is written for a message. 0 without a client_id.
CREATE TABLE messages (
	session       INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
	seq           INTEGER NOT NULL,
	id            TEXT    NOT NULL,
	foreign_id    TEXT    NOT NULL,
	client_id     TEXT    NOT NULL,
	client_key    INTEGER NOT NULL,
	sender        TEXT    NOT NULL,
	created_at    INTEGER NOT NULL,
	edited_at     INTEGER NOT NULL,
	deleted_at    INTEGER NOT NULL,
	delivered_at  INTEGER NOT NULL,
	read_at       INTEGER NOT NULL,
	reply_to      TEXT    NOT NULL,
	operator_name TEXT    NOT NULL,
	source_bridge TEXT    NOT NULL,
	attachments   TEXT    NOT NULL,
	content       TEXT    NOT NULL,
	PRIMARY KEY (session, seq)
) STRICT;
CREATE UNIQUE INDEX messages_id ON messages (session, foreign_id) WHERE foreign_id <> '';
CREATE UNIQUE INDEX messages_client ON messages (session, client_key) WHERE client_key <> 0;

-- What happened in a session, dense by revision together with its messages: the
-- event that brings a message is written here only once the message is edited.
-- Old ones are pruned from the front.
CREATE TABLE events (
	session    INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
	rev        INTEGER NOT NULL,
	at         INTEGER NOT NULL,
	type       TEXT    NOT NULL,
	source     TEXT    NOT NULL,
	message_id TEXT    NOT NULL,
	payload    TEXT    NOT NULL,
	PRIMARY KEY (session, rev)
) STRICT;

-- Events on their way to sinks. state: 0 pending, 1 sending, 2 done, 3 failed.
CREATE TABLE deliveries (
	session    INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
	rev        INTEGER NOT NULL,
	dest       TEXT    NOT NULL,
	state      INTEGER NOT NULL,
	attempts   INTEGER NOT NULL,
	next_at    INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	last_error TEXT    NOT NULL,
	PRIMARY KEY (session, rev, dest)
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_waiting ON deliveries (dest, session, rev) WHERE state < 2;
CREATE INDEX deliveries_failed ON deliveries (created_at) WHERE state = 3;
CREATE INDEX deliveries_created ON deliveries (created_at);

-- What platforms told relay, raw, in order of arrival. state: 0 pending,
-- 1 done, 2 failed.
CREATE TABLE inbox (
	seq         INTEGER NOT NULL PRIMARY KEY,
	bridge      TEXT    NOT NULL,
	key         TEXT    NOT NULL,
	thread      TEXT    NOT NULL,
	state       INTEGER NOT NULL,
	attempts    INTEGER NOT NULL,
	next_at     INTEGER NOT NULL,
	received_at INTEGER NOT NULL,
	last_error  TEXT    NOT NULL,
	raw         TEXT    NOT NULL
) STRICT;
CREATE UNIQUE INDEX inbox_key ON inbox (bridge, key);
CREATE INDEX inbox_waiting ON inbox (bridge, thread, seq) WHERE state = 0;

-- A session's places on platforms. A thread that was lost stays, so that what
-- still comes from it finds its session; the newest live one is written to.
-- anchor is the platform's first message in it. state: 0 live, 1 closed, 2 gone.
CREATE TABLE threads (
	bridge     TEXT    NOT NULL,
	channel    TEXT    NOT NULL,
	ref        TEXT    NOT NULL,
	session    INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
	state      INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	anchor     TEXT    NOT NULL,
	PRIMARY KEY (bridge, channel, ref)
) STRICT, WITHOUT ROWID;
CREATE INDEX threads_session ON threads (session, bridge);

-- Messages and their copies on platforms. A long message has several copies
-- (part), a copy may carry several messages (coalesced lines share a remote).
-- origin is 1 when the message was written on that platform. rev is the
-- revision that the copy shows. state: 0 live, 2 gone.
CREATE TABLE links (
	bridge     TEXT    NOT NULL,
	channel    TEXT    NOT NULL,
	remote     TEXT    NOT NULL,
	session    INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
	message_id TEXT    NOT NULL,
	part       INTEGER NOT NULL,
	origin     INTEGER NOT NULL,
	rev        INTEGER NOT NULL,
	state      INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	PRIMARY KEY (bridge, channel, remote, session, message_id, part)
) STRICT, WITHOUT ROWID;
CREATE INDEX links_message ON links (session, message_id);

-- Files. complete turns 1 with the last chunk; message_id is '' until a message
-- takes the file, and files that no message takes are swept.
CREATE TABLE attachments (
	id         TEXT    NOT NULL PRIMARY KEY,
	session    INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
	message_id TEXT    NOT NULL,
	uploader   TEXT    NOT NULL,
	complete   INTEGER NOT NULL,
	size       INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	mime_type  TEXT    NOT NULL,
	filename   TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX attachments_session ON attachments (session, message_id);
CREATE INDEX attachments_orphans ON attachments (created_at) WHERE message_id = '';

CREATE TABLE chunks (
	attachment_id TEXT    NOT NULL REFERENCES attachments (id) ON DELETE CASCADE,
	n             INTEGER NOT NULL,
	data          BLOB    NOT NULL,
	PRIMARY KEY (attachment_id, n)
) STRICT;

-- What operators set, as JSON.
CREATE TABLE settings (
	name  TEXT NOT NULL PRIMARY KEY,
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Facts about this installation.
CREATE TABLE meta (
	name  TEXT NOT NULL PRIMARY KEY,
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
