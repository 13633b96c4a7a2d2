INSERT INTO saved_answers (name, content, saved_by, updated_at) VALUES ('greeting', 'Hello!', 'Bo', 1000);
