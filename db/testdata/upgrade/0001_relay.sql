INSERT INTO sessions (id, rev, init_rev, leaving_rev, status, blocked, resumable, verified, ai_active, unread, created_at, started_at, answered_at,
	last_activity, csat_asked_at, csat_score, csat_responded_at, csat_comment, visitor_id, token_hash, metadata, identity, prechat, search)
	VALUES ('s-1', 3, 0, 0, 'closed', FALSE, TRUE, TRUE, FALSE, 1, 1000, 1001, 1002, 1003, 1004, 5, 1005, 'fine', 'v-1', 'hash-1',
	'{"url":"https://shop.example/"}', '{"id":"42","email":"ann@example.com"}', '', 'ann@example.com');
INSERT INTO messages (session, seq, id, foreign_id, client_id, client_key, sender, created_at, edited_at, deleted_at, delivered_at, read_at, reply_to,
	operator_name, source_bridge, attachments, content)
	SELECT number, 1, '0198c0de-0000-7000-8000-000000000001', '', '', 0, 'visitor', 1001, 0, 0, 0, 0, '', '', '',
	'[{"id":"f-1","filename":"hello.txt","mimeType":"text/plain","size":5}]', 'Where is my parcel?' FROM sessions WHERE id = 's-1';
INSERT INTO messages (session, seq, id, foreign_id, client_id, client_key, sender, created_at, edited_at, deleted_at, delivered_at, read_at, reply_to,
	operator_name, source_bridge, attachments, content)
	SELECT number, 2, '0198c0de-0000-7000-8000-000000000002', '', '', 0, 'operator', 1002, 0, 0, 0, 0, '', 'Bo', 'telegram', '[]', 'On its way.' FROM sessions WHERE id = 's-1';
INSERT INTO events (session, rev, at, type, source, message_id, payload)
	SELECT number, 3, 1003, 'session_closed', 'console', '', '{"type":"session_closed"}' FROM sessions WHERE id = 's-1';
INSERT INTO deliveries (session, rev, dest, state, attempts, next_at, created_at, last_error)
	SELECT number, 2, 'telegram', 0, 1, 0, 1002, 'away' FROM sessions WHERE id = 's-1';
INSERT INTO deliveries (session, rev, dest, state, attempts, next_at, created_at, last_error)
	SELECT number, 1, 'telegram', 2, 1, 0, 1001, '' FROM sessions WHERE id = 's-1';
INSERT INTO inbox (bridge, key, thread, state, attempts, next_at, received_at, last_error, raw) VALUES ('telegram', 'k-1', '7', 1, 1, 0, 1002, '', '{"done":1}');
INSERT INTO inbox (bridge, key, thread, state, attempts, next_at, received_at, last_error, raw) VALUES ('telegram', 'k-2', '7', 0, 0, 0, 1003, '', '{"waiting":1}');
INSERT INTO threads (bridge, channel, ref, session, state, created_at, anchor) SELECT 'telegram', '-100', '7', number, 1, 1001, '' FROM sessions WHERE id = 's-1';
INSERT INTO links (bridge, channel, remote, session, message_id, part, origin, rev, state, created_at)
	SELECT 'telegram', '-100', '70', number, '0198c0de-0000-7000-8000-000000000001', 0, 0, 1, 1, 1001 FROM sessions WHERE id = 's-1';
INSERT INTO attachments (id, session, message_id, uploader, complete, size, created_at, mime_type, filename)
	SELECT 'f-1', number, '0198c0de-0000-7000-8000-000000000001', 'visitor', TRUE, 5, 1001, 'text/plain', 'hello.txt' FROM sessions WHERE id = 's-1';
INSERT INTO chunks (attachment_id, n, data) VALUES ('f-1', 0, {hello});
INSERT INTO settings (name, value) VALUES ('operatorName', '"Support"');
INSERT INTO meta (name, value) VALUES ('upgrade', 'kept');
