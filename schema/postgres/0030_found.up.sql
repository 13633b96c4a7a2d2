-- As in SQLite's schema, where a search for a session reads an index of what it looks
-- through; PostgreSQL reads the table, whose texts are too long for an index.
SELECT 1;
