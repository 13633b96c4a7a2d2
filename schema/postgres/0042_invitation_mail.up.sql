-- What became of the e-mail with an invitation: waiting, sent, refused or unknown, and what the
-- mail server said.
ALTER TABLE invitations ADD COLUMN mailed TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE invitations ADD COLUMN mail_reason TEXT NOT NULL DEFAULT '';
