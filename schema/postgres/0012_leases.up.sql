-- Which node does what only one may do, until when by this server's clock. epoch
-- grows with each holder; info describes the holder. A node itself is a row, too.
CREATE TABLE leases (
	name       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	owner      TEXT COLLATE "C" NOT NULL,
	epoch      BIGINT           NOT NULL,
	expires_at BIGINT           NOT NULL,
	info       TEXT             NOT NULL
);

-- What nodes tell each other and is too long for a notification, or is for nodes
-- that cannot listen. It is worthless after a crash of the server.
CREATE UNLOGGED TABLE bells (
	number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	at     BIGINT NOT NULL,
	body   TEXT   NOT NULL
);
