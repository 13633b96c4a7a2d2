-- What somebody is notified of is the person's choice, no longer each device's: the
-- newest device decides. wants and content stay for relays of the version before.
UPDATE people SET preferences = (SELECT '{"notify":"' || d.wants || '","sound":' || (people.preferences::jsonb ->> 'sound') ||
	',"pushContent":' || CASE WHEN d.content THEN 'true' ELSE 'false' END || '}'
	FROM push_devices d WHERE d.person = people.id ORDER BY d.created_at DESC, d.id LIMIT 1)
	WHERE id IN (SELECT person FROM push_devices);
