-- Whether somebody proved no more than a password to sign in: no code, no passkey. Of earlier ones
-- nobody knows.
ALTER TABLE sign_ins ADD COLUMN password_only INTEGER NOT NULL DEFAULT 1;
