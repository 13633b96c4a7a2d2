-- Words that wait in a list of the index are looked through by every search: they go
-- into it at once.
ALTER INDEX passage_words_words SET (fastupdate = off);
