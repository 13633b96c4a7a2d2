package db

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/golang-migrate/migrate/v4/database"
	"github.com/jackc/pgx/v5"
)

var _ database.Driver = (*pgDriver)(nil)

// pgDriver is golang-migrate's driver on one connection, in transactions alone. Its own
// takes a lock of the session, which stays for ever behind a pooler that gives each
// transaction another connection. This relay holds migrationLock.
type pgDriver struct {
	ctx  context.Context
	conn *pgx.Conn
}

const createVersion = `CREATE TABLE IF NOT EXISTS schema_migrations (version BIGINT NOT NULL PRIMARY KEY, dirty BOOLEAN NOT NULL)`

func newPgDriver(ctx context.Context, config *pgx.ConnConfig) (database.Driver, error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	d := &pgDriver{ctx, conn}
	if _, err := conn.Exec(ctx, createVersion); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Open implements [database.Driver]; nothing calls it.
func (d *pgDriver) Open(string) (database.Driver, error) { return nil, errors.ErrUnsupported }

// Drop implements [database.Driver]; nothing calls it.
func (d *pgDriver) Drop() error { return errors.ErrUnsupported }

// Close implements [database.Driver].
func (d *pgDriver) Close() error { return d.conn.Close(context.WithoutCancel(d.ctx)) }

// Lock implements [database.Driver].
func (d *pgDriver) Lock() error { return nil }

// Unlock implements [database.Driver].
func (d *pgDriver) Unlock() error { return nil }

// Run implements [database.Driver]: a migration is one transaction.
func (d *pgDriver) Run(migration io.Reader) error {
	text, err := io.ReadAll(migration)
	if err == nil {
		_, err = d.conn.Exec(d.ctx, string(text))
	}
	return err
}

// SetVersion implements [database.Driver].
func (d *pgDriver) SetVersion(version int, dirty bool) error {
	text := `DELETE FROM schema_migrations;`
	if version >= 0 || dirty {
		text += fmt.Sprintf(` INSERT INTO schema_migrations (version, dirty) VALUES (%d, %t);`, version, dirty)
	}
	_, err := d.conn.Exec(d.ctx, text) // one transaction
	return err
}

// Version implements [database.Driver].
func (d *pgDriver) Version() (version int, dirty bool, err error) {
	err = d.conn.QueryRow(d.ctx, `SELECT version, dirty FROM schema_migrations`, pgx.QueryExecModeSimpleProtocol).Scan(&version, &dirty)
	if errors.Is(err, pgx.ErrNoRows) {
		return database.NilVersion, false, nil
	}
	return version, dirty, err
}
