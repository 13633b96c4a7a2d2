-- Leases and bells are for several nodes, which only share a Postgres database.
SELECT 1;
