-- dated is when a page was changed last, as far as it says, listed when a sitemap or a page led to
-- it last, reader which form of the reader read it: an older one read less.
ALTER TABLE pages ADD COLUMN dated INTEGER NOT NULL DEFAULT 0;
ALTER TABLE pages ADD COLUMN listed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE pages ADD COLUMN reader INTEGER NOT NULL DEFAULT 0;

-- The words of all passages, for those that are misspelt.
CREATE VIRTUAL TABLE passage_vocabulary USING fts5vocab (passage_words, 'row');
