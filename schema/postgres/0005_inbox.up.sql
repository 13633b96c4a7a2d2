-- Erasing a session looks for what its threads brought and could not be worked
-- on. Of what was worked on, only that it came is kept.
CREATE INDEX inbox_failed ON inbox (bridge, thread) WHERE state = 2;
UPDATE inbox SET raw = '' WHERE state = 1;
