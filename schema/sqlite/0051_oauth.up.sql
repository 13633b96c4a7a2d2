-- Programs that have registered themselves (OAuth). redirects are addresses with spaces between
-- them; granted_at is when somebody last let one in, 0 for never.
CREATE TABLE oauth_clients (
	id         TEXT    NOT NULL PRIMARY KEY,
	name       TEXT    NOT NULL,
	redirects  TEXT    NOT NULL,
	created_at INTEGER NOT NULL,
	granted_at INTEGER NOT NULL
) STRICT;
CREATE INDEX oauth_clients_created ON oauth_clients (created_at);

-- What somebody has allowed a program, which redeems the code once. api_key is the connection that
-- it became, '' before.
CREATE TABLE oauth_codes (
	hash      TEXT    NOT NULL PRIMARY KEY,
	client    TEXT    NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
	redirect  TEXT    NOT NULL,
	challenge TEXT    NOT NULL,
	resource  TEXT    NOT NULL,
	scopes    TEXT    NOT NULL,
	sites     TEXT    NOT NULL,
	person    TEXT    NOT NULL,
	sign_in   TEXT    NOT NULL,
	made_by   TEXT    NOT NULL,
	until     INTEGER NOT NULL,
	api_key   TEXT    NOT NULL
) STRICT;
CREATE INDEX oauth_codes_client ON oauth_codes (client);

-- Access and refresh tokens of connections. A spent refresh token stays, so that it is noticed if
-- somebody uses it again.
CREATE TABLE oauth_tokens (
	hash     TEXT    NOT NULL PRIMARY KEY,
	api_key  TEXT    NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
	kind     TEXT    NOT NULL,
	scopes   TEXT    NOT NULL,
	until    INTEGER NOT NULL,
	spent_at INTEGER NOT NULL
) STRICT;
CREATE INDEX oauth_tokens_api_key ON oauth_tokens (api_key);
CREATE INDEX oauth_tokens_until ON oauth_tokens (until);

-- A connection is a key: client is its program, host where that gets its codes, resource the
-- address for which alone its tokens are. All are '' for other keys.
ALTER TABLE api_keys ADD COLUMN client TEXT NOT NULL DEFAULT '';
ALTER TABLE api_keys ADD COLUMN host TEXT NOT NULL DEFAULT '';
ALTER TABLE api_keys ADD COLUMN resource TEXT NOT NULL DEFAULT '';
CREATE INDEX api_keys_client ON api_keys (client);
