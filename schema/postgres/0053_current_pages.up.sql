-- dated is when a page was changed last, as far as it says, listed when a sitemap or a page led to
-- it last, reader which form of the reader read it: an older one read less.
ALTER TABLE pages ADD COLUMN dated BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pages ADD COLUMN listed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pages ADD COLUMN reader INTEGER NOT NULL DEFAULT 0;
