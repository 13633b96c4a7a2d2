package db

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/jmoiron/sqlx"
)

// Size returns how many bytes the database has on the disk, and how many its
// write-ahead log, if it is a SQLite file: 0 and 0 for one in memory.
func (d *DB) Size(ctx context.Context) (size, log int64, err error) {
	if p, ok := d.backend.(*postgres); ok {
		err = p.use(ctx, func(ctx context.Context, c *sqlx.Conn) error {
			return c.GetContext(ctx, &size, "SELECT pg_database_size(current_database())")
		})
		return size, 0, err
	}
	if d.path == "" {
		return 0, 0, nil
	}
	if size, err = fileSize(d.path); err != nil {
		return 0, 0, err
	}
	log, err = fileSize(d.path + "-wal")
	return size, log, err
}

// fileSize asks the file system and does not open the file: that would take
// SQLite's locks off it.
func fileSize(path string) (int64, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
