package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// errDirect is part of every error for which DATABASE_DIRECT_URL is the cause.
var errDirect = errors.New("DATABASE_DIRECT_URL")

// checkDirect makes sure that DATABASE_DIRECT_URL leads to the database of DATABASE_URL:
// migrations and notifications in another one would help nobody.
func checkDirect(ctx context.Context, config, direct *pgx.ConnConfig) error {
	if config == direct {
		return nil
	}
	there, err := identify(ctx, direct)
	if err != nil {
		return fmt.Errorf("open the database at %w: %w", errDirect, err)
	}
	here, err := identify(ctx, config)
	if err != nil {
		return fmt.Errorf("open the Postgres database: %w", err)
	}
	if here != there {
		return fmt.Errorf("%w leads to another database than DATABASE_URL", errDirect)
	}
	return nil
}

// identify returns what differs from database to database and stays over a failover.
func identify(ctx context.Context, config *pgx.ConnConfig) (id string, err error) {
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return "", err
	}
	defer c.Close(context.WithoutCancel(ctx))
	const query = `SELECT datname || ' ' || oid FROM pg_database WHERE datname = current_database()`
	err = c.QueryRow(ctx, query, pgx.QueryExecModeSimpleProtocol).Scan(&id)
	return id, err
}
