-- The quick replies and links below a message, as JSON; '' when there are none.
ALTER TABLE messages ADD COLUMN buttons TEXT NOT NULL DEFAULT '';
