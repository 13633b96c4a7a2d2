package db

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/relay-chat/relay/schema"
	"github.com/relay-chat/relay/server/chat"
)

// copyLock is the advisory lock of a copy's target: one copy at a time.
const copyLock = migrationLock + 1

// copyPostgres is a Postgres database as an end of a copy.
type copyPostgres struct {
	conn  *pgx.Conn
	tx    pgx.Tx                     // the snapshot, if there is one
	known map[string]map[string]bool // whether a table's column is boolean
}

func openCopyPostgres(ctx context.Context, url string, target bool) (end copyEnd, err error) {
	config, err := pgx.ParseConfig(url)
	if err != nil { // not err: it may repeat the password
		return nil, errors.New("the database URL is malformed; it looks like postgres://user:password@host:5432/database")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = dialTimeout
	}
	config.RuntimeParams["application_name"] = "relay" // as short commands
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	p := &copyPostgres{conn: c, known: map[string]map[string]bool{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	if target {
		if err := p.prepare(ctx, config); err != nil {
			return nil, err
		}
	}
	have, err := inspectPostgres(ctx, c)
	if err == nil {
		err = checkCopyVersion(have, newest(schema.Postgres, "postgres"), target)
	}
	if err == nil { // a copy takes its time, and rests on one side while the other works
		_, err = c.Exec(ctx, `SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET lock_timeout = 0`)
	}
	return p, err
}

// noticeTime is how long a server may take to notice that the program of a copy is gone: the
// copy that was cut off keeps others away until then.
const noticeTime = 10 * time.Second

// prepare makes an empty database, or migrates one, unless it is an unfinished copy.
// It keeps other copies away.
func (p *copyPostgres) prepare(ctx context.Context, config *pgx.ConnConfig) error {
	for begun, alone := time.Now(), false; !alone; {
		if err := p.conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, copyLock).Scan(&alone); err != nil {
			return err
		}
		if !alone && (time.Since(begun) > noticeTime || !rest(ctx, noticeTime/50)) {
			return errors.New("another copy to this database is running")
		}
	}
	have, err := inspectPostgres(ctx, p.conn)
	if err != nil || have.version > unfinishedCopy {
		return err
	}
	return migratePostgres(ctx, config, Options{})
}

// snapshot ends the one before.
func (p *copyPostgres) snapshot(ctx context.Context) (err error) {
	if p.tx != nil {
		if err := p.tx.Rollback(ctx); err != nil {
			return err
		}
	}
	p.tx, err = p.conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	return err
}

// query runs a query, in the snapshot if there is one.
func (p *copyPostgres) query(ctx context.Context, text string, args ...any) (pgx.Rows, error) {
	if p.tx != nil {
		return p.tx.Query(ctx, text, args...)
	}
	return p.conn.Query(ctx, text, args...)
}

// each compares texts by their bytes, as SQLite does.
func (p *copyPostgres) each(ctx context.Context, t *copyTable, after []any, use func(row []any) error) error {
	key, err := p.keyList(ctx, t, "")
	if err != nil {
		return err
	}
	query := `SELECT ` + t.columnList() + ` FROM ` + quoteName(t.name)
	if after != nil {
		query += ` WHERE (` + key + `) > (` + placeholders(len(t.key)) + `)`
	}
	rows, err := p.query(ctx, query+` ORDER BY `+key, after...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		row, err := rows.Values()
		if err == nil {
			err = fromPostgres(row)
		}
		if err == nil {
			err = use(row)
		}
		if err != nil {
			return err
		}
	}
	return rows.Err()
}

func placeholders(n int) string {
	var list []string
	for i := range n {
		list = append(list, "$"+strconv.Itoa(i+1))
	}
	return strings.Join(list, ", ")
}

// fromPostgres makes the values those that SQLite has.
func fromPostgres(row []any) error {
	for i, v := range row {
		switch v := v.(type) {
		case bool:
			row[i] = int64(0)
			if v {
				row[i] = int64(1)
			}
		case int16:
			row[i] = int64(v)
		case int32:
			row[i] = int64(v)
		case float32:
			row[i] = float64(v)
		case nil, int64, float64, string, []byte:
		default:
			return fmt.Errorf("relay copy does not know the type %T", v)
		}
	}
	return nil
}

func (p *copyPostgres) count(ctx context.Context, t *copyTable) (n int64, err error) {
	rows, err := p.query(ctx, `SELECT COUNT(*) FROM `+quoteName(t.name))
	if err != nil {
		return 0, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowTo[int64])
}

func (p *copyPostgres) last(ctx context.Context, t *copyTable) ([]any, error) {
	order, err := p.keyList(ctx, t, " DESC")
	if err != nil {
		return nil, err
	}
	rows, err := p.query(ctx, `SELECT `+t.keyList("")+` FROM `+quoteName(t.name)+` ORDER BY `+order+` LIMIT 1`)
	if err != nil {
		return nil, err
	}
	row, err := pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) ([]any, error) { return row.Values() })
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return row, errors.Join(err, fromPostgres(row))
}

// put uses COPY, which also takes the numbers that Postgres would give itself.
func (p *copyPostgres) put(ctx context.Context, t *copyTable, rows [][]any, words func(string) []string) error {
	booleans, err := p.booleans(ctx, t)
	if err != nil {
		return err
	}
	var index pgx.Batch
	for _, row := range rows {
		if passage, ok := t.passage(row, words); ok {
			index.Queue(`INSERT INTO passage_words (passage, words) VALUES ($1, $2::text::tsvector)`, passage.number, vectorOf(&passage.IndexedPassage))
		}
		for i, column := range t.columns {
			if n, ok := row[i].(int64); ok && booleans[column] {
				row[i] = n != 0
			}
		}
	}
	return pgx.BeginFunc(ctx, p.conn, func(tx pgx.Tx) error {
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{t.name}, t.columns, pgx.CopyFromRows(rows)); err != nil {
			return err
		}
		return tx.SendBatch(ctx, &index).Close()
	})
}

const selectColumns = `SELECT a.attname, format_type(a.atttypid, NULL), a.attidentity <> '' FROM pg_attribute a
	WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped`

// pgColumn is a column of a table in Postgres.
type pgColumn struct {
	Name, Type string
	Numbered   bool // Postgres numbers its rows
}

func (p *copyPostgres) columns(ctx context.Context, t *copyTable) ([]pgColumn, error) {
	rows, err := p.query(ctx, selectColumns, quoteName(t.name))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[pgColumn])
}

// keyList is the table's key, its texts compared by their bytes.
func (p *copyPostgres) keyList(ctx context.Context, t *copyTable, suffix string) (string, error) {
	columns, err := p.columns(ctx, t)
	if err != nil {
		return "", err
	}
	texts := map[string]bool{}
	for _, c := range columns {
		texts[c.Name] = c.Type == "text"
	}
	var list []string
	for _, i := range t.key {
		name := t.columns[i]
		collate := ""
		if texts[name] {
			collate = ` COLLATE "C"`
		}
		list = append(list, quoteName(name)+collate+suffix)
	}
	return strings.Join(list, ", "), nil
}

// booleans returns which columns of a table are boolean. SQLite has numbers there.
func (p *copyPostgres) booleans(ctx context.Context, t *copyTable) (map[string]bool, error) {
	if known, ok := p.known[t.name]; ok {
		return known, nil
	}
	columns, err := p.columns(ctx, t)
	known := map[string]bool{}
	for _, c := range columns {
		known[c.Name] = c.Type == "boolean"
	}
	p.known[t.name] = known
	return known, err
}

// countNodes counts the relays that say that they run, also behind a pooler.
const countNodes = `SELECT COUNT(*) FROM leases WHERE name LIKE '` + chat.NodeLease + `%' AND expires_at > ` + present

// busy fails if a relay is connected, or runs. The connections of one that stopped are
// listed for a moment, and one that was killed counts as running for a while.
func (p *copyPostgres) busy(ctx context.Context) error {
	var connected, running int
	for begin := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		err := p.number(ctx, &connected, countOthers)
		if err == nil {
			err = p.number(ctx, &running, countNodes)
		}
		waited := time.Since(begin)
		switch {
		case err != nil:
			return err
		case connected == 0 && running == 0:
			return nil
		case connected > 0 && waited > 3*time.Second || waited > chat.LeaseLife+time.Second:
			return fmt.Errorf("%w: stop it first", ErrRunning)
		}
	}
}

// number reads one as it is now, in a snapshot, too.
func (p *copyPostgres) number(ctx context.Context, n *int, query string) error {
	if _, err := p.conn.Exec(ctx, `SELECT pg_stat_clear_snapshot()`); err != nil {
		return err
	}
	rows, err := p.query(ctx, query)
	if err == nil {
		*n, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[int])
	}
	return err
}

func (p *copyPostgres) begin(ctx context.Context, tables []*copyTable, source string) (resumed bool, err error) {
	have, err := inspectPostgres(ctx, p.conn)
	if err != nil {
		return false, err
	}
	if have.version > unfinishedCopy {
		var begun string
		if err := p.conn.QueryRow(ctx, `SELECT source FROM copying`).Scan(&begun); err != nil {
			return true, err
		}
		return true, sameSource(begun, source)
	}
	for _, t := range tables {
		if n, err := p.count(ctx, t); err != nil || n > t.preset {
			return false, errors.Join(err, notEmpty(t.name, n))
		}
	}
	return false, pgx.BeginFunc(ctx, p.conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, beginCopy(tables))
		if err == nil {
			_, err = tx.Exec(ctx, `INSERT INTO copying (source) VALUES ($1)`, source)
		}
		return err
	})
}

func (p *copyPostgres) finish(ctx context.Context, tables []*copyTable) error {
	if p.tx != nil {
		if err := p.tx.Rollback(ctx); err != nil {
			return err
		}
		p.tx = nil
	}
	err := pgx.BeginFunc(ctx, p.conn, func(tx pgx.Tx) error {
		for _, t := range tables {
			if err := p.continueNumbers(ctx, tx, t); err != nil {
				return fmt.Errorf("continue the numbers of %s: %w", t.name, err)
			}
		}
		_, err := tx.Exec(ctx, finishCopy)
		return err
	})
	if err == nil {
		_, err = p.conn.Exec(ctx, `ANALYZE`)
	}
	return err
}

// continueNumbers lets Postgres number new rows behind those copied.
func (p *copyPostgres) continueNumbers(ctx context.Context, tx pgx.Tx, t *copyTable) error {
	columns, err := p.columns(ctx, t)
	for _, c := range columns {
		if err == nil && c.Numbered {
			_, err = tx.Exec(ctx, `SELECT setval(pg_get_serial_sequence($1, $2), COALESCE(MAX(`+quoteName(c.Name)+`), 0) + 1, false) FROM `+quoteName(t.name),
				quoteName(t.name), c.Name)
		}
	}
	return err
}

func (p *copyPostgres) close() error { return p.conn.Close(context.Background()) }

// CopyName names a database without its password, user and options.
func CopyName(url string) string {
	if !isPostgres(url) {
		return url
	}
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return "the PostgreSQL database"
	}
	return "postgres://" + net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port))) + "/" + config.Database
}
