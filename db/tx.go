package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/words"
)

var _ chat.Tx = (*tx)(nil)

// tx is one operation's view of the database. The methods beside the nouns
// (sessions.go, messages.go, …) hold the SQL.
type tx struct {
	q querier
	// cache holds sessions for the next operations, nil if others may change
	// them.
	cache *sessionCache
	// committedCache is the writer's cache, for reads without a snapshot.
	committedCache *sessionCache
	// locked is the session that was locked or created last, as it is stored.
	locked stored
}

// querier runs SQL with ? for parameters, in the transaction that it stands
// for.
type querier interface {
	// exec returns how many rows were touched.
	exec(query string, args ...any) (int64, error)
	// get reads one row; sql.ErrNoRows if there is none.
	get(dest any, query string, args ...any) error
	list(dest any, query string, args ...any) error
	// row reads one row into variables, one for each column.
	row(dest []any, query string, args ...any) error
	// rows reads rows; next returns the variables of one more.
	rows(next func() []any, query string, args ...any) error
	// lock makes a SELECT lock its rows.
	lock(query string) string
	// survey prepares for reading many rows that nobody reads again soon, until the
	// returned function is called.
	survey() (end func())
	// ticket returns a number that is higher than that of every transaction under way, and
	// ended reports, when reading, whether all with a lower one have ended.
	ticket() (int64, error)
	ended(ticket int64) (bool, error)
	// has is the condition that a column has a part, its variable.
	has(column string) string
	// putWords lets a passage be found by its words, findWords ranks those that
	// have any of some words. Each dialect has an index of its own.
	putWords(number int64, p *chat.IndexedPassage) error
	findWords(site *string, words []string, limit int) (numbers []int64, err error)
	// vocabulary lists the words of all passages.
	vocabulary(most int) ([]chat.WordCount, error)
	// putTexts adds the words of messages to the index, each unless it is there or the number
	// is taken: those it returns. changeText replaces them. findTexts ends early with ctx.
	putTexts(texts []searchedText) (left []searchedText, err error)
	changeText(session, seq int64, set []string) error
	findTexts(ctx context.Context, terms []words.Term, sites chat.SiteSet, below int64, limit int) ([]textPlace, error)
}

// one reads a row, or returns missing.
func one[T any](t *tx, missing error, query string, args ...any) (T, error) {
	var v T
	err := t.q.get(&v, query, args...)
	if errors.Is(err, sql.ErrNoRows) {
		err = missing
	}
	return v, err
}

// row reads a row into variables, or returns missing. It costs a third of one.
func (t *tx) row(missing error, into []any, query string, args ...any) error {
	err := t.q.row(into, query, args...)
	if errors.Is(err, sql.ErrNoRows) {
		err = missing
	}
	return err
}

// list reads rows.
func list[T any](t *tx, query string, args ...any) ([]T, error) {
	var rows []T
	err := t.q.list(&rows, query, args...)
	return rows, err
}

// touch writes to a row that must exist, or returns missing.
func (t *tx) touch(missing error, query string, args ...any) error {
	n, err := t.q.exec(query, args...)
	if err == nil && n == 0 {
		return missing
	}
	return err
}

// wrap puts what failed before an error; without one it returns nil.
func wrap(err error, doing string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(doing, args...), err)
}

// noLimit stands for a LIMIT that was not asked for.
const noLimit = math.MaxInt

func limitOf(n int) int {
	if n <= 0 {
		return noLimit
	}
	return n
}

// limited writes the limit into a query that ends with LIMIT ?: SQLite plans a
// query again whenever another limit is bound. Callers use few limits, so few
// texts are prepared.
func limited(query string, n int) string {
	return strings.TrimSuffix(query, "?") + strconv.Itoa(limitOf(n))
}
