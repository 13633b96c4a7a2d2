package db

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/words"
)

var _ querier = (*collector)(nil)

// collector is what the operations of a shared transaction see as the database: it keeps
// what they write until all of them have run, and sends one statement for those of a kind.
// It has nothing to read: an operation that reads, or writes what is not mergeable, has to
// run alone, even if it ignores the error.
type collector struct {
	statements []*merged
	updated    map[any]row // the updates of sessions, by their numbers

	calls []call // of the running operation
	alone bool   // it has to run alone
}

// row is a place in a statement.
type row struct {
	of *merged
	i  int
}

type call struct {
	text string
	args []any
}

// run lets an operation collect what it writes, all or nothing.
func (c *collector) run(r *request, sessions *sessionCache) error {
	before, locked := sessions.get(r.session)
	if !locked {
		return errAlone
	}
	c.calls, c.alone = c.calls[:0], false
	err := protect(r.op, &tx{q: c, cache: sessions})
	if err == nil && !c.alone {
		c.merge()
	}
	if c.alone {
		err = errAlone
	}
	if err != nil {
		sessions.put(&before)
	}
	return err
}

func newCollector() *collector { return &collector{updated: map[any]row{}} }

// merge adds the calls of an operation to the statements.
func (c *collector) merge() {
	for _, call := range c.calls {
		if isUpdate(call.text) && !c.mayUpdate(call) {
			c.alone = true
			return
		}
	}
	for _, call := range c.calls {
		c.add(call)
	}
}

func isUpdate(text string) bool { return text == updateActivity || text == updateSession }

// mayUpdate reports whether a session's update can stand for all that were collected.
func (c *collector) mayUpdate(call call) bool {
	place, ok := c.updated[call.args[len(call.args)-1]]
	return !ok || place.of.text == call.text
}

func (c *collector) add(call call) {
	m := c.statement(call.text)
	if isUpdate(call.text) {
		number := call.args[len(call.args)-1]
		if place, ok := c.updated[number]; ok {
			m.rows[place.i] = call.args
			return
		}
		c.updated[number] = row{m, len(m.rows)}
	}
	m.rows = append(m.rows, call.args)
}

func (c *collector) statement(text string) *merged {
	for _, m := range c.statements {
		if m.text == text {
			return m
		}
	}
	m := &merged{text: text}
	c.statements = append(c.statements, m)
	return m
}

// write sends everything and commits, in one round trip.
func (c *collector) write(ctx context.Context, conn *pgx.Conn) error {
	var b pgx.Batch
	for _, m := range c.statements {
		m.queue(&b)
	}
	b.Queue("commit")
	return conn.SendBatch(ctx, &b).Close()
}

func (c *collector) exec(query string, args ...any) (int64, error) {
	values, err := plainValues(args)
	if _, ok := mergeable[query]; !ok || err != nil {
		return 0, c.refuse()
	}
	c.calls = append(c.calls, call{query, values})
	return 1, nil
}

func (c *collector) refuse() error {
	c.alone = true
	return errAlone
}

func (c *collector) get(any, string, ...any) error                     { return c.refuse() }
func (c *collector) list(any, string, ...any) error                    { return c.refuse() }
func (c *collector) row([]any, string, ...any) error                   { return c.refuse() }
func (c *collector) rows(func() []any, string, ...any) error           { return c.refuse() }
func (c *collector) lock(query string) string                          { return query }
func (c *collector) survey() (end func())                              { return func() {} }
func (c *collector) ticket() (int64, error)                            { return 0, c.refuse() }
func (c *collector) ended(int64) (bool, error)                         { return false, c.refuse() }
func (c *collector) has(column string) string                          { return column }
func (c *collector) putWords(int64, *chat.IndexedPassage) error        { return c.refuse() }
func (c *collector) putTexts([]searchedText) ([]searchedText, error)   { return nil, c.refuse() }
func (c *collector) changeText(int64, int64, []string) error           { return c.refuse() }
func (c *collector) findWords(*string, []string, int) ([]int64, error) { return nil, c.refuse() }
func (c *collector) vocabulary(int) ([]chat.WordCount, error)          { return nil, c.refuse() }
func (c *collector) findTexts(context.Context, []words.Term, chat.SiteSet, int64, int) ([]textPlace, error) {
	return nil, c.refuse()
}
