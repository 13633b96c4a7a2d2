package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jmoiron/sqlx"

	"github.com/relay-chat/relay/schema"
)

// Column is a column of a table of the schema.
type Column struct {
	Name, Type, Parent string // Parent is the table that it refers to
	Full               bool   // never NULL
}

// Schema is the tables of a version of the schema: the text of the migrations tells
// them, so that no new table is forgotten.
type Schema struct {
	tables   []*copyTable
	columns  map[string][]Column
	booleans map[string]bool // names of columns that are boolean in Postgres
}

// SchemaAt reads the schema of a version.
func SchemaAt(ctx context.Context, version int) (s Schema, err error) {
	pool, err := sqlx.Open("sqlite", "file::memory:?_foreign_keys=1&_dqs=0")
	if err != nil {
		return s, err
	}
	defer pool.Close()
	c, err := newConn(ctx, pool)
	if err != nil {
		return s, err
	}
	defer c.close()
	files, err := fs.Glob(schema.SQLite, "sqlite/*.up.sql")
	if err != nil {
		return s, err
	}
	for _, name := range files {
		var step int
		if _, err := fmt.Sscanf(name, "sqlite/%d_", &step); err != nil || step > version {
			continue
		}
		text, _ := schema.SQLite.ReadFile(name)
		if _, err := c.raw.ExecContext(ctx, string(text)); err != nil {
			return s, err
		}
	}
	s.columns, s.booleans = map[string][]Column{}, booleans()
	if s.tables, err = describeTables(&tx{q: c}); err != nil {
		return s, err
	}
	for _, t := range s.tables {
		var list []Column
		if err := c.list(&list, `SELECT c.name, c.type, COALESCE(f."table", '') AS parent, c."notnull" AS full FROM pragma_table_xinfo(?) c
			LEFT JOIN pragma_foreign_key_list(?) f ON f."from" = c.name WHERE c.hidden = 0 ORDER BY c.cid`, t.name, t.name); err != nil {
			return s, err
		}
		s.columns[t.name] = list
	}
	return s, nil
}

var booleanColumn = regexp.MustCompile(`(?m)(\w+)\s+BOOLEAN`)

func booleans() map[string]bool {
	found := map[string]bool{}
	files, _ := fs.Glob(schema.Postgres, "postgres/*.up.sql")
	for _, name := range files {
		text, _ := schema.Postgres.ReadFile(name)
		for _, m := range booleanColumn.FindAllSubmatch(text, -1) {
			found[string(m[1])] = true
		}
	}
	return found
}

// Tables are the names of the tables.
func (s Schema) Tables() (names []string) {
	for _, t := range s.tables {
		names = append(names, t.name)
	}
	return names
}

// Columns are those of a table.
func (s Schema) Columns(table string) []Column { return s.columns[table] }

// Fill puts rows into every table, beginning with a number. They have what is hard to
// keep: long texts, quotes, all bytes, empty values.
func (s Schema) Fill(ctx context.Context, url string, first, n int) error {
	return withEnd(ctx, url, func(end copyEnd) error {
		for _, t := range s.tables {
			var rows [][]any
			for i := first; i < first+n; i++ {
				rows = append(rows, s.row(t, int64(i)))
			}
			if err := end.put(ctx, t, rows, strings.Fields); err != nil {
				return fmt.Errorf("fill %s: %w", t.name, err)
			}
		}
		return nil
	})
}

// row is the nth row of a table. It refers to the nth of others.
func (s Schema) row(t *copyTable, n int64) (row []any) {
	for _, c := range s.columns[t.name] {
		table := t.name
		for c.Parent != "" { // the value is that of the column referred to
			parent := s.parent(table, c)
			table, c = c.Parent, parent
		}
		row = append(row, s.value(table, c, n))
	}
	return row
}

// parent is the key of the table that a column refers to.
func (s Schema) parent(_ string, c Column) Column {
	for _, t := range s.tables {
		if t.name == c.Parent {
			key := s.columns[t.name][t.key[0]]
			key.Parent = ""
			return key
		}
	}
	panic("no table " + c.Parent)
}

var allBytes = func() (b []byte) {
	for i := range 256 {
		b = append(b, byte(i))
	}
	return b
}()

func (s Schema) value(table string, c Column, n int64) any {
	switch {
	case c.Type == "INTEGER" && s.booleans[c.Name]:
		return n % 2
	case c.Type == "INTEGER" && (strings.HasSuffix(c.Name, "_at") || c.Name == "last_activity"):
		return 1_700_000_000_000 + n
	case c.Type == "INTEGER":
		return n
	case c.Type == "REAL":
		return float64(n) + 0.1
	case c.Type == "BLOB" && n%3 == 0:
		return []byte{}
	case c.Type == "BLOB":
		return append([]byte(fmt.Sprint(n)), allBytes...)
	case n%7 == 2 && (c.Name == "content" || c.Name == "text" || c.Name == "payload"):
		return fmt.Sprintf(`"%d %s"`, n, strings.Repeat("Größe 日本語 🙂 ", 5000))
	}
	return fmt.Sprintf(`"%s.%s %d: it's ö, \\ and \n, %% and 🙂"`, table, c.Name, n)
}

// withEnd calls use with a database of any version that no relay uses.
func withEnd(ctx context.Context, url string, use func(copyEnd) error) error {
	if isPostgres(url) {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		end := &copyPostgres{conn: conn, known: map[string]map[string]bool{}}
		return errors.Join(use(end), end.close())
	}
	path, err := sqlitePath(url)
	if err != nil {
		return err
	}
	pool, err := sqlx.Open("sqlite", dsn(path, forCommands, false))
	if err != nil {
		return err
	}
	return errors.Join(use(&copyFile{pool: pool}), pool.Close())
}

// Contents returns the rows of each table in the order of their keys, with the columns
// that the schema has. They are read by one connection: Postgres starts a process for each.
func (s Schema) Contents(ctx context.Context, url string) (all map[string][]map[string]any, err error) {
	all = map[string][]map[string]any{}
	err = withEnd(ctx, url, func(end copyEnd) error {
		for _, t := range s.tables {
			err := end.each(ctx, t, nil, func(values []any) error {
				row := map[string]any{}
				for i, c := range t.columns {
					row[c] = values[i]
				}
				all[t.name] = append(all[t.name], row)
				return nil
			})
			if err != nil {
				return fmt.Errorf("read %s: %w", t.name, err)
			}
		}
		return nil
	})
	return all, err
}

// PostgresColumns are the columns of a table in Postgres and their types, nil if it
// has no such table.
func PostgresColumns(ctx context.Context, url, table string) (types map[string]string, err error) {
	err = withEnd(ctx, url, func(end copyEnd) error {
		columns, err := end.(*copyPostgres).columns(ctx, &copyTable{name: table})
		for _, c := range columns {
			if types == nil {
				types = map[string]string{}
			}
			types[c.Name] = c.Type
		}
		return err
	})
	return types, err
}
