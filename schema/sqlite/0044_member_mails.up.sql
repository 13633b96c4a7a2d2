-- The revision up to which e-mails to the team about the visitor's messages were asked for.
ALTER TABLE sessions ADD COLUMN member_mail_rev INTEGER NOT NULL DEFAULT 0;
