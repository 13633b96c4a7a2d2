-- The words of messages, by which operators find them: relay makes them, folded and
-- separated by spaces, after a message is stored, in order per session. number grows
-- with the message's time. A message that is erased takes its words along.
CREATE TABLE search_texts (
	number  INTEGER NOT NULL PRIMARY KEY,
	session INTEGER NOT NULL,
	seq     INTEGER NOT NULL,
	words   TEXT    NOT NULL,
	FOREIGN KEY (session, seq) REFERENCES messages (session, seq) ON DELETE CASCADE
) STRICT;
CREATE UNIQUE INDEX search_texts_message ON search_texts (session, seq);

-- What is removed would otherwise stay until segments are merged. Beginnings of two and
-- three letters, which many words have, are indexed themselves.
CREATE VIRTUAL TABLE search_words USING fts5 (words, content = 'search_texts', content_rowid = 'number', columnsize = 0, detail = none, prefix = '2 3', tokenize = 'ascii');
INSERT INTO search_words (search_words, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER search_text_added AFTER INSERT ON search_texts BEGIN
	INSERT INTO search_words (rowid, words) VALUES (NEW.number, NEW.words);
END;
CREATE TRIGGER search_text_gone AFTER DELETE ON search_texts BEGIN
	INSERT INTO search_words (search_words, rowid, words) VALUES ('delete', OLD.number, OLD.words);
END;
CREATE TRIGGER search_text_changed AFTER UPDATE OF words ON search_texts BEGIN
	INSERT INTO search_words (search_words, rowid, words) VALUES ('delete', OLD.number, OLD.words);
	INSERT INTO search_words (rowid, words) VALUES (NEW.number, NEW.words);
END;

-- behind is the number of the session below which an older database is not indexed
-- yet, 0 when all is.
CREATE TABLE search_progress (
	one    INTEGER NOT NULL PRIMARY KEY,
	behind INTEGER NOT NULL
) STRICT;
INSERT INTO search_progress (one, behind) SELECT 1, COALESCE(MAX(number) + 1, 0) FROM sessions;
