package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/relay-chat/relay/schema"
)

// migrationLock is the advisory lock under which one relay at a time looks at
// the schema and migrates it ("rely").
const migrationLock = 0x72656c79

// stepLock is held by the transaction of each migration. The server finishes that of a
// relay that was killed, and until then nobody knows whether it counts.
const stepLock = migrationLock + 2

// stepBegins precedes each migration, by dialect.
var stepBegins = map[string]string{"postgres": fmt.Sprintf("SELECT pg_advisory_xact_lock(%d);\n", stepLock)}

// migratePostgres migrates a Postgres database. Several relays may
// start at once; none waits if there is nothing to migrate.
func migratePostgres(ctx context.Context, config *pgx.ConnConfig, opts Options) error {
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer c.Close(context.WithoutCancel(ctx))
	want := newest(schema.Postgres, "postgres")
	have, err := inspectPostgres(ctx, c)
	switch {
	case err != nil:
		return err
	case have.version > want:
		return newerSchema(have.version, want)
	case have.version == want && !have.dirty:
		return nil
	case opts.Shared:
		return fmt.Errorf("the database has schema version %d, this relay needs %d: start relay once, which migrates it", have.version, want)
	}
	unlock, err := lockMigrations(ctx, config)
	if err != nil {
		return fmt.Errorf("wait for other relays: %w", err)
	}
	defer unlock()
	if _, err := c.Exec(ctx, `SELECT pg_advisory_lock($1), pg_advisory_unlock($1)`, stepLock); err != nil {
		return fmt.Errorf("wait for the migration of a relay that was killed: %w", err)
	}
	if have, err = inspectPostgres(ctx, c); err != nil {
		return err
	}
	driver, err := newPgDriver(ctx, config)
	if err != nil {
		return err
	}
	return runMigrations(schema.Postgres, "postgres", driver, have.version, have.dirty)
}

// lockMigrations takes the lock under which one relay at a time migrates. It ends with
// its transaction, which is that of nothing else: a pooler may give each transaction
// another connection.
func lockMigrations(ctx context.Context, config *pgx.ConnConfig) (unlock func(), err error) {
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	unlock = func() { _ = c.Close(context.WithoutCancel(ctx)) }
	if _, err = c.Exec(ctx, `BEGIN`); err == nil {
		_, err = c.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, migrationLock)
	}
	if err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// inspectPostgres reads the version of the schema, 0 if there is none yet.
func inspectPostgres(ctx context.Context, c *pgx.Conn) (inspected, error) {
	var have inspected
	var versioned bool
	err := c.QueryRow(ctx, `SELECT to_regclass('schema_migrations') IS NOT NULL`).Scan(&versioned)
	if err != nil || !versioned {
		return have, err
	}
	err = c.QueryRow(ctx, `SELECT version, dirty FROM schema_migrations`).Scan(&have.version, &have.dirty)
	if errors.Is(err, pgx.ErrNoRows) {
		return have, nil
	}
	return have, err
}
