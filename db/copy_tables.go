package db

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"math"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/relay-chat/relay/server/chat"
)

// copyTable is a table whose rows are part of relay's state.
type copyTable struct {
	name    string
	columns []string
	blobs   []int // the columns of type BLOB, which are never NULL
	key     []int // the columns of its primary key
	parents []string
	preset  int64 // how many rows a new database has
}

// copyTables lists the tables to copy, each after those that it refers to. The word indexes
// of the knowledge base and of messages and the digests of sessions are left out because
// they are rebuilt, the latter two when relay runs, and so are the tables that only
// PostgreSQL has: they hold the state of running nodes.
func copyTables(ctx context.Context) (tables []*copyTable, err error) {
	m, err := openMemory(ctx, migrated(""))
	if err != nil {
		return nil, err
	}
	defer m.close()
	err = m.apply(ctx, func(t *tx) error {
		tables, err = describeTables(t)
		return err
	})
	return tables, err
}

const selectTables = `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search_%' AND name NOT LIKE 'digest%' ORDER BY name`

// describeTables lists the tables of a SQLite database, each after those that it refers
// to.
func describeTables(t *tx) ([]*copyTable, error) {
	var names []string
	if err := t.q.list(&names, selectTables); err != nil {
		return nil, err
	}
	tables := make([]*copyTable, len(names))
	for i, name := range names {
		var err error
		if tables[i], err = describeTable(t, name); err != nil {
			return nil, fmt.Errorf("describe the table %s: %w", name, err)
		}
	}
	return sortByParents(tables)
}

func describeTable(t *tx, name string) (*copyTable, error) {
	table := &copyTable{name: name}
	err := t.q.list(&table.columns, `SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid`, name)
	if err == nil {
		err = t.q.list(&table.blobs, `SELECT cid FROM pragma_table_info(?) WHERE type = 'BLOB'`, name)
	}
	if err == nil {
		err = t.q.list(&table.key, `SELECT cid FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk`, name)
	}
	if err == nil {
		err = t.q.list(&table.parents, `SELECT DISTINCT "table" FROM pragma_foreign_key_list(?)`, name)
	}
	if err == nil {
		err = t.q.get(&table.preset, `SELECT COUNT(*) FROM `+quoteName(name))
	}
	if err == nil && len(table.key) == 0 {
		err = errors.New("it has no primary key")
	}
	return table, err
}

// sortByParents sorts each table after those that it refers to.
func sortByParents(tables []*copyTable) (sorted []*copyTable, err error) {
	placed := map[string]bool{}
	for len(sorted) < len(tables) {
		before := len(sorted)
		for _, t := range tables {
			if placed[t.name] || slices.ContainsFunc(t.parents, func(p string) bool { return p != t.name && !placed[p] }) {
				continue
			}
			placed[t.name], sorted = true, append(sorted, t)
		}
		if len(sorted) == before {
			return nil, errors.New("the tables refer to each other in a cycle")
		}
	}
	return sorted, nil
}

// index returns the position of a column.
func (t *copyTable) index(column string) int { return slices.Index(t.columns, column) }

// keyList returns the key's columns in SQL, each with a suffix.
func (t *copyTable) keyList(suffix string) string {
	var list []string
	for _, i := range t.key {
		list = append(list, quoteName(t.columns[i])+suffix)
	}
	return strings.Join(list, ", ")
}

// columnList returns all columns in SQL.
func (t *copyTable) columnList() string {
	var list []string
	for _, c := range t.columns {
		list = append(list, quoteName(c))
	}
	return strings.Join(list, ", ")
}

// numberedPassage is a passage with its number and its words.
type numberedPassage struct {
	number int64
	chat.IndexedPassage
}

// passage returns the passage in a row of the table passages, with its words.
func (t *copyTable) passage(row []any, words func(string) []string) (p numberedPassage, ok bool) {
	if t.name != "passages" {
		return p, false
	}
	p.number, _ = row[t.index("number")].(int64)
	p.Title, _ = row[t.index("title")].(string)
	p.Text, _ = row[t.index("text")].(string)
	p.TitleWords, p.TextWords = words(p.Title), words(p.Text)
	return p, true
}

// beginCopy is the SQL that marks an empty database as an unfinished copy, finishCopy
// the SQL that removes the mark.
func beginCopy(tables []*copyTable) string {
	text := fmt.Sprintf("UPDATE schema_migrations SET version = version + %d; CREATE TABLE copying (source TEXT NOT NULL);", unfinishedCopy)
	for _, t := range slices.Backward(tables) {
		if t.preset > 0 {
			text += ` DELETE FROM ` + quoteName(t.name) + `;`
		}
	}
	return text
}

var finishCopy = fmt.Sprintf("DROP TABLE copying; UPDATE search_progress SET behind = (SELECT COALESCE(MAX(number) + 1, 0) FROM sessions); UPDATE schema_migrations SET version = version - %d;", unfinishedCopy)

func sameSource(begun, source string) error {
	if begun != source {
		return errors.New("it holds an unfinished copy of another database, or the source has changed since: empty it, then copy again")
	}
	return nil
}

func notEmpty(table string, n int64) error {
	return fmt.Errorf("it already has data (%d rows in %s), which was left untouched: name a new database", n, table)
}

func quoteName(name string) string { return pgx.Identifier{name}.Sanitize() }

// makeStorable replaces what PostgreSQL cannot store in a text: invalid UTF-8 and NUL.
func makeStorable(row []any) (changed bool) {
	for i, v := range row {
		text, ok := v.(string)
		if !ok {
			continue
		}
		if valid := strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD"); valid != text {
			row[i], changed = valid, true
		}
	}
	return changed
}

// rowHash hashes rows the same way for both databases.
type rowHash struct {
	sum hash.Hash
	buf []byte
}

func newRowHash() *rowHash { return &rowHash{sum: sha256.New()} }

// add hashes a row. Each value is preceded by its type, texts by their length.
func (h *rowHash) add(row []any) {
	b := h.buf[:0]
	for _, v := range row {
		switch v := v.(type) {
		case nil:
			b = append(b, 'n')
		case int64:
			b = binary.BigEndian.AppendUint64(append(b, 'i'), uint64(v))
		case float64:
			b = binary.BigEndian.AppendUint64(append(b, 'f'), math.Float64bits(v))
		case string:
			b = append(binary.BigEndian.AppendUint64(append(b, 't'), uint64(len(v))), v...)
		case []byte:
			b = append(binary.BigEndian.AppendUint64(append(b, 'b'), uint64(len(v))), v...)
		default:
			panic(fmt.Sprintf("a row has a %T", v))
		}
	}
	h.sum.Write(append(b, '\n'))
	h.buf = b
}

func (h *rowHash) String() string { return hex.EncodeToString(h.sum.Sum(nil)) }
