-- The browsers that are notified of visitors' messages, and whose they are.
CREATE TABLE push_devices (
	id         TEXT    NOT NULL PRIMARY KEY,
	person     TEXT    NOT NULL,
	endpoint   TEXT    NOT NULL UNIQUE,
	p256dh     TEXT    NOT NULL,
	auth       TEXT    NOT NULL,
	label      TEXT    NOT NULL,
	wants      TEXT    NOT NULL,
	content    BOOLEAN NOT NULL,
	created_at BIGINT  NOT NULL
);
