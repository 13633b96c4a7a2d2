package db

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/golang-migrate/migrate/v4"
	"github.com/golang-migrate/migrate/v4/database"
	migratesqlite "github.com/golang-migrate/migrate/v4/database/sqlite"
	"github.com/golang-migrate/migrate/v4/source/iofs"

	"github.com/relay-chat/relay/schema"
	"github.com/relay-chat/relay/server/chat"
)

// steps are the numbers of a dialect's embedded migrations in order. Some numbers are not
// used.
func steps(migrations embed.FS, dir string) (list []int) {
	entries, err := migrations.ReadDir(dir) // sorted, and so are the numbers
	if err != nil {
		panic(err) // the folder is embedded
	}
	for _, e := range entries {
		number, _, _ := strings.Cut(e.Name(), "_")
		if n, err := strconv.Atoi(number); err == nil {
			list = append(list, n)
		}
	}
	return list
}

// newest is the number of the last embedded migration of a dialect.
func newest(migrations embed.FS, dir string) int {
	list := steps(migrations, dir)
	return list[len(list)-1]
}

// stepBefore is the number of the migration before a version.
func stepBefore(migrations embed.FS, dir string, version int) int {
	before := database.NilVersion
	for _, n := range steps(migrations, dir) {
		if n < version {
			before = n
		}
	}
	return before
}

// newerSchema refuses a database of a later relay: this one would not
// understand what it finds.
func newerSchema(have, want int) error {
	if have > unfinishedCopy {
		return errUnfinishedCopy
	}
	return fmt.Errorf("%w: it has schema version %d, and this one knows only up to %d: "+
		"run the newer relay again, or restore a backup from before the upgrade", ErrNewer, have, want)
}

// keptCopies is how many automatic copies are kept.
const keptCopies = 3

// migrateFile copies a SQLite file, then migrates it.
func migrateFile(ctx context.Context, path string, have inspected) error {
	if have.version > 0 {
		if err := copyBefore(ctx, path, have.version); err != nil {
			return fmt.Errorf("copy the database before its migration: %w", err)
		}
	}
	handle, err := sql.Open("sqlite", dsn(path, forWriting, false))
	if err != nil {
		return err
	}
	driver, err := migratesqlite.WithInstance(handle, &migratesqlite.Config{})
	if err != nil {
		handle.Close()
		return err
	}
	return runMigrations(schema.SQLite, "sqlite", driver, have.version, have.dirty)
}

// runMigrations runs the missing migrations and closes the driver with its handle.
// Each one is a transaction that also records its completion; so one without
// that record (the version is dirty then) was rolled back and runs again.
func runMigrations(migrations embed.FS, dialect string, driver database.Driver, version int, dirty bool) error {
	source, err := iofs.New(migrations, dialect)
	if err != nil {
		driver.Close()
		return err
	}
	m, err := migrate.NewWithInstance("iofs", source, dialect, &recording{Driver: driver, begin: stepBegins[dialect]})
	if err != nil {
		driver.Close()
		return err
	}
	defer m.Close()
	if dirty {
		before := stepBefore(migrations, dialect, version)
		if err := m.Force(before); err != nil {
			return fmt.Errorf("set the schema back to version %d: %w", before, err)
		}
	}
	if err := m.Up(); err != nil && !errors.Is(err, migrate.ErrNoChange) {
		return fmt.Errorf("migrate the schema: %w", err)
	}
	return nil
}

// recording is a driver that records the completion of a migration in its own
// transaction. golang-migrate uses a second one, and after a crash between the
// two it would run the migration again and fail.
type recording struct {
	database.Driver
	begin   string // SQL that precedes each migration
	version int
}

// SetVersion implements [database.Driver].
func (r *recording) SetVersion(version int, dirty bool) error {
	r.version = version
	return r.Driver.SetVersion(version, dirty)
}

// Run implements [database.Driver].
func (r *recording) Run(migration io.Reader) error {
	record := fmt.Sprintf("\nUPDATE schema_migrations SET dirty = FALSE WHERE version = %d;\n", r.version)
	chat.CrashPoint("migration begun")
	err := r.Driver.Run(io.MultiReader(strings.NewReader(r.begin), migration, strings.NewReader(record)))
	chat.CrashPoint("migration run")
	return err
}

// copyBefore copies the database to backups/pre-<version>.db beside it.
func copyBefore(ctx context.Context, path string, version int) error {
	dir := filepath.Join(filepath.Dir(path), "backups")
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	inherit(dir, path)
	target := filepath.Join(dir, fmt.Sprintf("pre-%d.db", version))
	unfinished := target + ".unfinished"
	if err := os.Remove(unfinished); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := copyInto(ctx, path, unfinished); err != nil {
		return err
	}
	inherit(unfinished, path)
	if err := os.Rename(unfinished, target); err != nil {
		return err
	}
	if err := syncFolder(dir); err != nil {
		return err
	}
	return dropOldCopies(dir)
}

// dropOldCopies keeps the copies of the highest versions.
func dropOldCopies(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "pre-*.db"))
	if err != nil {
		return err
	}
	version := func(name string) int {
		n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), "pre-"), ".db"))
		return n
	}
	slices.SortFunc(names, func(a, b string) int { return version(b) - version(a) })
	for _, name := range names[min(len(names), keptCopies):] {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return nil
}
