INSERT INTO people (id, name, name_key, email, role, password, face, preferences, created_at) VALUES ('p-1', 'Ada', 'ada', 'ada@example.com', 'administrator', '', '', '{"notify":"mine","sound":true,"pushContent":false}', 1);
INSERT INTO sign_ins (id, hash, person, created_at, seen_at, agent, address) VALUES ('i-1', 'h', 'p-1', 1, 2, 'Firefox', '192.0.2.1');
