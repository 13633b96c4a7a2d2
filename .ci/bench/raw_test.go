package bench

import (
	"database/sql"
	"errors"
	"strings"
	"time"

	_ "modernc.org/sqlite" // driver "sqlite"
)

// text is a message of the usual size.
var text = strings.Repeat("Where is my parcel? ", 6)

// raw is what relay's writing is measured against: a SQLite file written by a
// bare loop through database/sql with prepared statements, as durably as
// relay's own (synchronous=FULL), on the same disk.
type raw struct {
	pool                  *sql.DB
	insert, begin, commit *sql.Stmt
}

func openRaw(path string) (*raw, error) {
	pool, err := sql.Open("sqlite", "file:"+path+"?_journal_mode=WAL&_synchronous=FULL")
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	_, err = pool.Exec("CREATE TABLE messages (id INTEGER PRIMARY KEY, session TEXT, content TEXT, sender TEXT, at INTEGER)")
	r := &raw{pool: pool}
	for stmt, query := range map[**sql.Stmt]string{
		&r.insert: "INSERT INTO messages (session, content, sender, at) VALUES (?, ?, ?, ?)",
		&r.begin:  "BEGIN IMMEDIATE",
		&r.commit: "COMMIT",
	} {
		var failed error
		*stmt, failed = pool.Prepare(query)
		err = errors.Join(err, failed)
	}
	return r, err
}

// single writes rows for a while, each durable before the next, and returns
// how many per second.
func (r *raw) single(while time.Duration) (float64, error) {
	return perSecond(while, 1, r.row)
}

// batches does the same with so many rows in one transaction.
func (r *raw) batches(rows int, while time.Duration) (float64, error) {
	return perSecond(while, rows, func() error {
		if _, err := r.begin.Exec(); err != nil {
			return err
		}
		for range rows {
			if err := r.row(); err != nil {
				return err
			}
		}
		_, err := r.commit.Exec()
		return err
	})
}

func (r *raw) row() error {
	_, err := r.insert.Exec("RWJ7KD3QM2AVPLXN5TB6YCHSEF", text, "visitor", time.Now().UnixMilli())
	return err
}

// perSecond repeats a step of so many rows for a while.
func perSecond(while time.Duration, rows int, step func() error) (float64, error) {
	n, begin := 0, time.Now()
	for time.Since(begin) < while {
		if err := step(); err != nil {
			return 0, err
		}
		n += rows
	}
	return float64(n) / time.Since(begin).Seconds(), nil
}
