package db

import (
	"database/sql/driver"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jmoiron/sqlx"
)

// mergeable are the statements that the operations of a shared transaction collect.
var mergeable = map[string]mergedText{
	insertFresh: insertMany(insertFresh, "bigint bigint text bigint text text bigint text"),
	insertMessage: insertMany(insertMessage, "bigint text bigint text bigint text text bigint text text text text text bigint "+
		"bigint bigint bigint boolean boolean bigint text text text text"),
	insertDelivery: insertMany(insertDelivery, "bigint bigint text bigint bigint"),
	insertEvent:    insertMany(insertEvent, "bigint bigint text text text text bigint"),
	insertEntry:    insertMany(insertEntry, "bigint bigint bigint text text"),
	updateActivity: updateMany(updateActivity, "bigint int bigint bigint"),
	updateSession: updateMany(updateSession, "bigint bigint bigint text boolean boolean int int bigint bigint bigint bigint bigint bigint boolean bigint "+
		"bigint bigint"),
}

// mergedText are the forms of a statement for one row and for many, with an array for each
// parameter. Inserts have no ON CONFLICT there: a conflict fails the shared transaction.
type mergedText struct{ one, many string }

// insertMany returns the forms of INSERT … VALUES (…).
func insertMany(text, types string) mergedText {
	text = strings.TrimSuffix(text, onceByClientID)
	into, values, _ := strings.Cut(text, "VALUES (")
	return mergedText{sqlx.Rebind(sqlx.DOLLAR, text), into + "SELECT " + numbered(strings.TrimSuffix(values, ")")) + " FROM " + arrays(types)}
}

// updateMany returns the forms of UPDATE … SET … WHERE number = ?.
func updateMany(text, types string) mergedText {
	set, where, _ := strings.Cut(numbered(text), " WHERE ")
	return mergedText{sqlx.Rebind(sqlx.DOLLAR, text), set + " FROM " + arrays(types) + " WHERE " + where}
}

// numbered names the columns of arrays in the place of parameters.
func numbered(text string) string {
	parts := strings.Split(text, "?")
	for i := range len(parts) - 1 {
		parts[i] += fmt.Sprintf("v.c%d", i+1)
	}
	return strings.Join(parts, "")
}

// arrays is the table v whose columns c1, c2 … are the parameters.
func arrays(types string) string {
	list := strings.Fields(types)
	names := make([]string, len(list))
	for i, t := range list {
		list[i], names[i] = fmt.Sprintf("$%d::%s[]", i+1, t), fmt.Sprintf("c%d", i+1)
	}
	return "unnest(" + strings.Join(list, ", ") + ") AS v(" + strings.Join(names, ", ") + ")"
}

// merged is a mergeable statement with the parameters of its rows.
type merged struct {
	text string
	rows [][]any // int64, bool or string
}

// few is how many rows are written one by one: the server plans a statement with arrays
// anew each time.
const few = 3

// queue adds the statement to those that are sent together.
func (m *merged) queue(b *pgx.Batch) {
	text := mergeable[m.text]
	if len(m.rows) <= few {
		for _, row := range m.rows {
			b.Queue(text.one, row...)
		}
		return
	}
	columns := make([]any, len(m.rows[0]))
	for i := range columns {
		switch m.rows[0][i].(type) {
		case int64:
			columns[i] = column[int64](m.rows, i)
		case bool:
			columns[i] = column[bool](m.rows, i)
		case string:
			columns[i] = column[string](m.rows, i)
		}
	}
	b.Queue(text.many, columns...)
}

func column[T any](rows [][]any, i int) []T {
	list := make([]T, len(rows))
	for n, row := range rows {
		list[n] = row[i].(T)
	}
	return list
}

// plainValues converts parameters to numbers, truths and texts.
func plainValues(args []any) ([]any, error) {
	list := make([]any, len(args))
	for i, arg := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return nil, fmt.Errorf("parameter %d: %w", i, err)
		}
		switch v := v.(type) {
		case int64, bool, string:
			list[i] = v
		case []byte:
			list[i] = string(v)
		default:
			return nil, fmt.Errorf("parameter %d is a %T", i, v)
		}
	}
	return list, nil
}
