INSERT INTO messages (session, seq, id, foreign_id, client_id, client_key, sender, created_at, edited_at, deleted_at, delivered_at, read_at, reply_to,
	operator_name, source_bridge, attachments, content, internal)
	SELECT number, 3, '0198c0de-0000-7000-8000-000000000003', '', '', 0, 'operator', 1003, 0, 0, 0, 0, '', 'Bo', 'console', '[]', 'a note', TRUE FROM sessions WHERE id = 's-1';
