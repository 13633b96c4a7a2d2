-- The list of deliveries by state looks for the few that wait among the many that
-- are done.
CREATE INDEX deliveries_pending ON deliveries (created_at) WHERE state < 2;
