package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/golang-migrate/migrate/v4"
	migratesqlite "github.com/golang-migrate/migrate/v4/database/sqlite"
	"github.com/golang-migrate/migrate/v4/source/iofs"
	"github.com/jmoiron/sqlx"

	"github.com/relay-chat/relay/schema"
)

// object is a table, index, trigger or view of a SQLite file.
type object struct {
	Type, Name, SQL string
}

// maxForeign is how many foreign objects an error names.
const maxForeign = 5

// checkObjects refuses a file that has a table, index, trigger or view which relay's own
// migrations do not make, or lacks one that they make: a trigger of somebody else's runs
// with each write. What SQLite, the migrations and Litestream keep for themselves is left out.
func checkObjects(ctx context.Context, pool *sqlx.DB, have inspected) error {
	version := have.version
	if have.dirty {
		version = stepBefore(schema.SQLite, "sqlite", version)
	}
	found, err := objects(ctx, pool)
	if err != nil {
		return err
	}
	wanted, err := migratedObjects(ctx, version)
	if err != nil {
		return err
	}
	if foreign := missingIn(wanted, found); len(foreign) > 0 {
		return fmt.Errorf("the file has what relay did not put there: %s; restore a backup that relay made, or drop it in a copy of the file (sqlite3 FILE 'DROP %s \"%s\"')",
			nameObjects(foreign), strings.ToUpper(foreign[0].Type), foreign[0].Name)
	}
	if missing := missingIn(found, wanted); len(missing) > 0 {
		return fmt.Errorf("the file lacks what each relay of its version has: %s; restore another backup", nameObjects(missing))
	}
	return nil
}

// objects lists what a file has, apart from what belongs to SQLite, the migrations and
// Litestream.
func objects(ctx context.Context, q sqlx.QueryerContext) (list []object, err error) {
	err = sqlx.SelectContext(ctx, q, &list, `SELECT type, name, COALESCE(sql, '') AS sql FROM sqlite_schema
		WHERE tbl_name <> 'schema_migrations' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT IN ('_litestream_seq', '_litestream_lock')
		ORDER BY type, name`)
	return list, err
}

// migratedObjects lists what the migrations up to a version make.
func migratedObjects(ctx context.Context, version int) ([]object, error) {
	handle, err := sql.Open("sqlite", "file::memory:")
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	handle.SetMaxOpenConns(1) // another connection would have a database of its own
	source, err := iofs.New(schema.SQLite, "sqlite")
	if err != nil {
		return nil, err
	}
	driver, err := migratesqlite.WithInstance(handle, &migratesqlite.Config{})
	if err != nil {
		return nil, err
	}
	m, err := migrate.NewWithInstance("iofs", source, "sqlite", driver)
	if err != nil {
		return nil, err
	}
	if version > 0 {
		if err := m.Migrate(uint(version)); err != nil && !errors.Is(err, migrate.ErrNoChange) {
			return nil, fmt.Errorf("migrate a database in memory to version %d: %w", version, err)
		}
	}
	return objects(ctx, sqlx.NewDb(handle, "sqlite"))
}

// missingIn returns the objects of list that all has not, or has otherwise.
func missingIn(all, list []object) (missing []object) {
	known := map[object]bool{}
	for _, o := range all {
		known[o.folded()] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(o object) bool { return known[o.folded()] })
}

// folded returns the object without the spaces and quotes of its text, which differ between
// versions of SQLite once a table was altered.
func (o object) folded() object {
	o.SQL = strings.Join(strings.Fields(strings.NewReplacer(`"`, " ", "'", " ", "`", " ", "(", " ( ", ")", " ) ", ",", " , ").Replace(o.SQL)), " ")
	return o
}

func nameObjects(list []object) string {
	var names []string
	for _, o := range list[:min(len(list), maxForeign)] {
		names = append(names, fmt.Sprintf("%s %q", o.Type, o.Name))
	}
	if more := len(list) - maxForeign; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
