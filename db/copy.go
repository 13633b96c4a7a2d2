package db

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// unfinishedCopy is added to the schema version of a copy's target until the copy
// is complete, so that no relay starts on half of the data.
const unfinishedCopy = 1_000_000

var (
	// ErrCopyEnds: the addresses of a copy are not a SQLite file and a Postgres
	// database.
	ErrCopyEnds = errors.New("relay copies between a SQLite file (sqlite://path) and a PostgreSQL database (postgres://…)")

	errNothingToCopy = errors.New("it is empty: no relay has run on it; check the address, and in which folder this is")

	errUnfinishedCopy = errors.New("the database is a copy that was not finished: finish it by the same relay copy as before, or empty it")
)

// CopyOptions are what a copy needs of the program.
type CopyOptions struct {
	// Words returns the words by which a text of the knowledge is found.
	Words func(text string) []string
	// Progress is called about once a second and at the end of each table that is not
	// empty.
	Progress func(CopyProgress)
}

// CopyProgress says how far a copy is.
type CopyProgress struct {
	Checking bool // the copy is complete and is being compared with its source
	Table    string
	Nth, Of  int // of the tables
	Done     int64
	Total    int64
	Rate     float64       // rows a second, of this run
	Rest     time.Duration // for this table
}

// CopiedTable is a table that was copied and compared.
type CopiedTable struct {
	Name string `json:"name"`
	Rows int64  `json:"rows"`
	Hash string `json:"sha256"` // of the content, the same on both engines
	// Replaced is how many texts contained bytes that PostgreSQL cannot store. They
	// became U+FFFD.
	Replaced int64 `json:"replaced,omitempty"`
}

// CopyReport is what a copy did.
type CopyReport struct {
	Resumed bool          `json:"resumed"`
	Tables  []CopiedTable `json:"tables"`
}

// Copy copies everything from a SQLite file to a Postgres database or the other way
// round, and compares both. Cut off at any moment, the same call goes on. Neither
// database may be in use by a relay.
func Copy(ctx context.Context, from, to string, opts CopyOptions) (report CopyReport, err error) {
	if isPostgres(from) == isPostgres(to) {
		return report, sameEngine(from, to)
	}
	tables, err := copyTables(ctx)
	if err != nil {
		return report, err
	}
	source, err := openCopyEnd(ctx, from, false)
	if err != nil {
		return report, fmt.Errorf("copy from %s: %w", CopyName(from), err)
	}
	defer func() { err = errors.Join(err, source.close()) }()
	c := &copier{source: source, tables: tables, opts: opts, clean: func([]any) bool { return false }}
	mark, err := c.examineSource(ctx)
	if err != nil {
		return report, fmt.Errorf("copy from %s: %w", CopyName(from), err)
	}
	target, err := openCopyEnd(ctx, to, true)
	if err != nil {
		return report, fmt.Errorf("copy to %s: %w", CopyName(to), err)
	}
	defer func() { err = errors.Join(err, target.close()) }()
	if c.target = target; isPostgres(to) {
		c.clean = makeStorable
	}
	return c.run(ctx, mark)
}

func sameEngine(from, to string) error {
	_, err := sqlitePath(from)
	if _, err2 := sqlitePath(to); err == nil {
		err = err2
	}
	switch {
	case !isPostgres(from) && err != nil:
		return fmt.Errorf("%w: %w", ErrCopyEnds, err)
	case from == to:
		return fmt.Errorf("%w: these are the same", ErrCopyEnds)
	case isPostgres(from):
		return fmt.Errorf("%w: between PostgreSQL databases use pg_dump and pg_restore", ErrCopyEnds)
	}
	return fmt.Errorf("%w: between SQLite files use relay backup and relay restore", ErrCopyEnds)
}

// copyEnd is one of the two databases of a copy.
type copyEnd interface {
	// snapshot lets each and count see the database as it is now.
	snapshot(ctx context.Context) error
	// each calls use with the rows of a table behind a key, all of them if it is nil,
	// in the order of their keys. Values are nil, int64, float64, string or []byte.
	each(ctx context.Context, t *copyTable, after []any, use func(row []any) error) error
	count(ctx context.Context, t *copyTable) (int64, error)
	// last returns the highest key of a table, nil if it is empty.
	last(ctx context.Context, t *copyTable) ([]any, error)
	// put adds rows in one transaction, with words for those that are passages.
	put(ctx context.Context, t *copyTable, rows [][]any, words func(string) []string) error
	// busy fails if a relay uses the database.
	busy(ctx context.Context) error
	// begin marks the empty database as an unfinished copy of a source, or finds it so
	// marked. It fails if it has other data.
	begin(ctx context.Context, tables []*copyTable, source string) (resumed bool, err error)
	// finish removes the mark and lets new rows continue behind those copied.
	finish(ctx context.Context, tables []*copyTable) error
	close() error
}

func openCopyEnd(ctx context.Context, url string, target bool) (copyEnd, error) {
	if isPostgres(url) {
		return openCopyPostgres(ctx, url, target)
	}
	path, err := sqlitePath(url)
	if err != nil {
		return nil, err
	}
	return openCopyFile(ctx, path, target)
}

// copier is a copy under way.
type copier struct {
	source, target copyEnd
	tables         []*copyTable
	opts           CopyOptions
	clean          func(row []any) bool // lets the target take a row, and reports whether that changed it

	totals   map[string]int64
	copied   int64 // rows, in this run
	began    time.Time
	reported time.Time
}

// examineSource makes sure that there is something to copy, before there is a target,
// and returns what identifies this source.
func (c *copier) examineSource(ctx context.Context) (mark string, err error) {
	if err := errors.Join(c.source.busy(ctx), c.source.snapshot(ctx)); err != nil {
		return "", err
	}
	if mark, err = c.fingerprint(ctx); err == nil {
		err = c.countSource(ctx)
	}
	if err != nil {
		return "", err
	}
	for _, t := range c.tables {
		if c.totals[t.name] > t.preset {
			return mark, nil
		}
	}
	return "", errNothingToCopy
}

func (c *copier) run(ctx context.Context, mark string) (report CopyReport, err error) {
	if err := c.target.busy(ctx); err != nil {
		return report, fmt.Errorf("the target: %w", err)
	}
	if report.Resumed, err = c.target.begin(ctx, c.tables, mark); err != nil {
		return report, fmt.Errorf("the target: %w", err)
	}
	c.began, c.reported = time.Now(), time.Now()
	for n, t := range c.tables {
		if err := c.copyTable(ctx, n, t); err != nil {
			return report, fmt.Errorf("copy %s: %w; what is copied stays: the same command continues", t.name, err)
		}
	}
	if report.Tables, err = c.compare(ctx); err != nil {
		return report, err
	}
	if err := c.source.busy(ctx); err != nil {
		return report, fmt.Errorf("a relay began to use the source meanwhile; the copy is not complete: %w", err)
	}
	return report, c.target.finish(ctx, c.tables)
}

// fingerprint identifies a source among others, which have other keys.
func (c *copier) fingerprint(ctx context.Context) (string, error) {
	sum := newRowHash()
	for _, t := range c.tables {
		if t.name != "meta" {
			continue
		}
		if err := c.source.each(ctx, t, nil, func(row []any) error { sum.add(row); return nil }); err != nil {
			return "", err
		}
	}
	return sum.String(), nil
}

func (c *copier) countSource(ctx context.Context) (err error) {
	c.totals = map[string]int64{}
	for _, t := range c.tables {
		if c.totals[t.name], err = c.source.count(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// The size of a transaction on the target: what is in memory at a time.
const (
	copyRows  = 2000
	copyBytes = 4 << 20
)

// copyTable copies the rows that the target does not have yet. They are put in the
// order of their keys, so its highest key says where to continue.
func (c *copier) copyTable(ctx context.Context, n int, t *copyTable) error {
	after, err := c.target.last(ctx, t)
	if err != nil {
		return err
	}
	done, err := c.target.count(ctx, t)
	if err != nil {
		return err
	}
	at := CopyProgress{Table: t.name, Nth: n + 1, Of: len(c.tables), Done: done, Total: c.totals[t.name]}
	batch, size := [][]any{}, 0
	flush := func() error {
		if err := c.target.put(ctx, t, batch, c.opts.Words); err != nil {
			return err
		}
		at.Done, c.copied = at.Done+int64(len(batch)), c.copied+int64(len(batch))
		batch, size = batch[:0], 0
		c.report(at, false)
		return nil
	}
	err = c.source.each(ctx, t, after, func(row []any) error {
		c.clean(row)
		batch, size = append(batch, row), size+sizeOf(row)
		if len(batch) < copyRows && size < copyBytes {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	if err == nil {
		c.report(at, true)
	}
	return err
}

// report calls Progress, if it is time or the table ended.
func (c *copier) report(at CopyProgress, end bool) {
	if c.opts.Progress == nil || at.Total == 0 || !end && time.Since(c.reported) < time.Second {
		return
	}
	c.reported = time.Now()
	if at.Rate = float64(c.copied) / time.Since(c.began).Seconds(); at.Rate > 0 {
		at.Rest = time.Duration(float64(max(at.Total-at.Done, 0)) / at.Rate * float64(time.Second))
	}
	c.opts.Progress(at)
}

// compare reads both databases from end to end. The source is read as it is now, so
// that what was written there meanwhile is found.
func (c *copier) compare(ctx context.Context) (list []CopiedTable, err error) {
	if err := errors.Join(c.source.snapshot(ctx), c.target.snapshot(ctx)); err != nil {
		return nil, err
	}
	for n, t := range c.tables {
		c.report(CopyProgress{Checking: true, Table: t.name, Nth: n + 1, Of: len(c.tables), Total: c.totals[t.name]}, true)
		want, have, err := c.both(ctx, t)
		if err != nil {
			return nil, fmt.Errorf("compare %s: %w", t.name, err)
		}
		if want.Rows != have.Rows || want.Hash != have.Hash {
			return nil, fmt.Errorf("%s differs: the source has %d rows, the copy %d, or their content is not the same. "+
				"The source was changed since the copy began: empty the target and copy again, while no relay runs", t.name, want.Rows, have.Rows)
		}
		list = append(list, want)
	}
	return list, nil
}

// both reads a table of both databases at the same time.
func (c *copier) both(ctx context.Context, t *copyTable) (want, have CopiedTable, err error) {
	failed := make(chan error, 1)
	go func() {
		var err error
		have, err = summarize(ctx, c.target, t, func([]any) bool { return false })
		failed <- err
	}()
	want, err = summarize(ctx, c.source, t, c.clean)
	return want, have, errors.Join(err, <-failed)
}

// summarize counts and hashes the rows of a table, as clean makes them.
func summarize(ctx context.Context, end copyEnd, t *copyTable, clean func([]any) bool) (CopiedTable, error) {
	sum, done := newRowHash(), CopiedTable{Name: t.name}
	err := end.each(ctx, t, nil, func(row []any) error {
		if clean(row) {
			done.Replaced++
		}
		sum.add(row)
		done.Rows++
		return nil
	})
	done.Hash = sum.String()
	return done, err
}

// sizeOf is about what a row takes in memory.
func sizeOf(row []any) (n int) {
	for _, v := range row {
		n += 32
		switch v := v.(type) {
		case string:
			n += len(v)
		case []byte:
			n += len(v)
		}
	}
	return n
}
