package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// statement is a prepared SQL text that runs on the driver directly: the locks, retries
// and reflection of database/sql and sqlx cost as much as a small statement itself.
type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// prepare prepares each SQL text once.
func (c *conn) prepare(query string) (statement, error) {
	if s, ok := c.direct[query]; ok {
		return s, nil
	}
	var s statement
	err := c.raw.Raw(func(dc any) error {
		prepared, err := dc.(driver.ConnPrepareContext).PrepareContext(context.Background(), query)
		if err == nil {
			s = prepared.(statement)
		}
		return err
	})
	if err != nil {
		return nil, c.noteBroken(fmt.Errorf("prepare %q: %w", query, err))
	}
	c.direct[query] = s
	return s, nil
}

// exec runs a statement and returns how many rows it changed.
func (c *conn) exec(query string, args ...any) (int64, error) {
	s, err := c.prepare(query)
	if err != nil {
		return 0, err
	}
	bound, err := c.bind(args)
	if err != nil {
		return 0, err
	}
	result, err := s.ExecContext(context.Background(), bound)
	if err != nil {
		c.wrote = true
		return 0, c.noteBroken(err)
	}
	n, err := result.RowsAffected()
	c.wrote = c.wrote || n > 0
	return n, err
}

// row reads one row into variables, one per column.
func (c *conn) row(dest []any, query string, args ...any) error {
	found := false
	err := c.rows(func() []any { found = true; return dest }, query, args...)
	if err == nil && !found {
		return sql.ErrNoRows
	}
	return err
}

// rows reads rows; next returns the variables for the next one, one per column.
func (c *conn) rows(next func() []any, query string, args ...any) error {
	s, err := c.prepare(query)
	if err != nil {
		return err
	}
	bound, err := c.bind(args)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(context.Background(), bound)
	if err != nil {
		return c.noteBroken(err)
	}
	err = c.scan(rows, next)
	if closeErr := rows.Close(); err == nil {
		err = closeErr
	}
	return c.noteBroken(err)
}

func (c *conn) scan(rows driver.Rows, next func() []any) error {
	c.columns = append(c.columns[:0], make([]driver.Value, len(rows.Columns()))...)
	for {
		switch err := rows.Next(c.columns); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		for i, d := range next() {
			if err := assign(d, c.columns[i]); err != nil {
				return fmt.Errorf("column %d: %w", i, err)
			}
		}
	}
}

// bind converts arguments to the types that drivers accept. The result is valid until
// the next call.
func (c *conn) bind(args []any) ([]driver.NamedValue, error) {
	c.bound = c.bound[:0]
	for i, arg := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return nil, fmt.Errorf("parameter %d: %w", i, err)
		}
		c.bound = append(c.bound, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return c.bound, nil
}

// assign sets a variable to what the driver read, as database/sql would.
func assign(dest any, v driver.Value) error {
	switch v := v.(type) {
	case string:
		if d, ok := dest.(*string); ok {
			*d = v
			return nil
		}
	case []byte:
		if d, ok := dest.(*[]byte); ok {
			*d = v
			return nil
		}
	case int64:
		if assignInt(dest, v) {
			return nil
		}
	}
	if d, ok := dest.(sql.Scanner); ok {
		return d.Scan(v)
	}
	return fmt.Errorf("cannot read %T into %T", v, dest)
}

func assignInt(dest any, n int64) bool {
	switch d := dest.(type) {
	case *int64:
		*d = n
	case *int:
		*d = int(n)
	case *bool:
		*d = n != 0
	case *string:
		*d = strconv.FormatInt(n, 10)
	default:
		return false
	}
	return true
}
