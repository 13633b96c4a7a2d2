package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	_ "modernc.org/sqlite"             // the driver sqlite
)

// usage is what an installation has used of the machine so far.
type usage struct {
	relay, database time.Duration // processor time
	memory          float64       // bytes, of all relays
	rows, size      int64         // of the database
	written         int64         // bytes: to the disk by relay, or to PostgreSQL's log
}

func (u usage) since(before usage) usage {
	return usage{u.relay - before.relay, u.database - before.database, u.memory - before.memory, u.rows - before.rows, u.size - before.size, u.written - before.written}
}

// gauge reads what an installation uses.
type gauge struct {
	nodes    []*server
	pool     *sql.DB
	postgres int // the server's process, 0 for SQLite
}

// newGauge opens the database beside the relays.
func newGauge(url string, nodes []*server) (*gauge, error) {
	g := &gauge{nodes: nodes}
	path, isFile := strings.CutPrefix(url, "sqlite://")
	var err error
	if isFile {
		g.pool, err = sql.Open("sqlite", "file:"+path+"?mode=ro&_pragma=busy_timeout(5000)")
		return g, err
	}
	if g.pool, err = sql.Open("pgx", url); err != nil {
		return nil, err
	}
	var backend int
	if err := g.pool.QueryRow(`SELECT pg_backend_pid()`).Scan(&backend); err != nil {
		return nil, err
	}
	if fields, err := stat(backend); err == nil {
		g.postgres, _ = strconv.Atoi(fields[1])
	}
	return g, nil
}

func (g *gauge) close() error { return g.pool.Close() }

func (g *gauge) read() (u usage, err error) {
	for _, n := range g.nodes {
		pid := n.cmd.Process.Pid
		fields, err := stat(pid)
		if err != nil {
			return u, err
		}
		memory, err := n.memory()
		if err != nil {
			return u, err
		}
		u.relay += ticks(fields, 11, 12)
		u.memory += memory
		u.written += writtenBy(pid)
	}
	if g.postgres != 0 {
		u.database = processorTimeBelow(g.postgres)
	}
	return u, g.readDatabase(&u)
}

// stat returns the fields of /proc/pid/stat behind the name: state, parent, …
func stat(pid int) ([]string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 20 {
		return nil, errors.New("/proc has an unknown form")
	}
	return fields, nil
}

// ticks sums times of /proc/pid/stat, which counts in hundredths of a second.
func ticks(fields []string, which ...int) (sum time.Duration) {
	for _, i := range which {
		n, _ := strconv.Atoi(fields[i])
		sum += time.Duration(n) * 10 * time.Millisecond
	}
	return sum
}

// processorTimeBelow is that of a process and its children, those that ended, too.
func processorTimeBelow(parent int) (sum time.Duration) {
	if fields, err := stat(parent); err == nil {
		sum += ticks(fields, 11, 12, 13, 14)
	}
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, path := range all {
		pid, _ := strconv.Atoi(filepath.Base(path))
		if fields, err := stat(pid); err == nil && fields[1] == strconv.Itoa(parent) {
			sum += ticks(fields, 11, 12)
		}
	}
	return sum
}

// writtenBy is how many bytes a process gave to the disk.
func writtenBy(pid int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	for line := range strings.Lines(string(text)) {
		if n, found := strings.CutPrefix(line, "write_bytes: "); found {
			bytes, _ := strconv.ParseInt(strings.TrimSpace(n), 10, 64)
			return bytes
		}
	}
	return 0
}

const (
	fileTables = `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`
	fileSize   = `SELECT (SELECT COUNT(*) FROM sqlite_schema) * 0 + page_count * page_size FROM pragma_page_count, pragma_page_size` // of this moment, not of the last query
	pgTables   = `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`
	pgSize     = `SELECT pg_database_size(current_database())`
	pgWritten  = `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint`
)

// readDatabase counts rows and bytes.
func (g *gauge) readDatabase(u *usage) error {
	ctx, tables, size := context.Background(), fileTables, fileSize
	if g.postgres != 0 {
		tables, size = pgTables, pgSize
		if err := g.pool.QueryRowContext(ctx, pgWritten).Scan(&u.written); err != nil {
			return err
		}
	}
	if err := g.pool.QueryRowContext(ctx, size).Scan(&u.size); err != nil {
		return err
	}
	rows, err := g.pool.QueryContext(ctx, tables)
	if err != nil {
		return err
	}
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		names = append(names, name)
	}
	for _, name := range names {
		var n int64
		if err := g.pool.QueryRowContext(ctx, `SELECT COUNT(*) FROM `+name).Scan(&n); err != nil {
			return err
		}
		u.rows += n
	}
	return rows.Err()
}
