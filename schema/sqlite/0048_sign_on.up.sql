-- Whom a provider's identity is, by (issuer, subject). Without a person it was removed here, and
-- does not come back by itself; so does an e-mail address, whose row has no issuer and its hash.
CREATE TABLE identities (
	issuer     TEXT NOT NULL,
	subject    TEXT NOT NULL,
	person     TEXT          REFERENCES people (id) ON DELETE SET NULL,
	created_at INTEGER NOT NULL,
	PRIMARY KEY (issuer, subject)
) STRICT;
CREATE INDEX identities_person ON identities (person);

-- When a sign-in ends unless the provider is asked again, 0 for no such end.
ALTER TABLE sign_ins ADD COLUMN until INTEGER NOT NULL DEFAULT 0;

-- What asks a provider again about a sign-in: refresh is a secret, '' for none.
CREATE TABLE sign_on_grants (
	sign_in  TEXT NOT NULL PRIMARY KEY REFERENCES sign_ins (id) ON DELETE CASCADE,
	issuer   TEXT NOT NULL,
	subject  TEXT NOT NULL,
	refresh  TEXT NOT NULL,
	renew_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sign_on_grants_renew ON sign_on_grants (renew_at);
