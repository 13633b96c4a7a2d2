-- A step of PostgreSQL. Here, segments of the index are joined earlier, which makes
-- searches shorter, too.
INSERT INTO passage_words (passage_words, rank) VALUES ('automerge', 4);
