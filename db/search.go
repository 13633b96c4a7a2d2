package db

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/words"
)

// The bounds of searching: how long one may take, and how many run at a time, so that
// the other readers of the database have connections left.
const (
	searchTime  = 4 * time.Second
	maxSearches = 2
)

// errSearchLong is a search for something that too many messages have.
var errSearchLong = chat.Errorf(chat.Conflict, "The search takes too long: add a word, or write more of it")

// textPlace is where the words of a message are, and whose they are.
type textPlace struct {
	Number  int64 `db:"number"`
	Session int64 `db:"session"`
	Seq     int64 `db:"seq"`
}

// Find returns the newest messages of sites below a place, 0 for the newest of all, that have
// all of the terms.
func (s *Search) Find(ctx context.Context, terms []words.Term, sites chat.SiteSet, below int64, limit int) (found []chat.FoundMessage, err error) {
	if len(terms) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, searchTime, errSearchLong)
	defer cancel()
	select {
	case s.running <- struct{}{}:
		defer func() { <-s.running }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	var failed error
	err = s.db.backend.look(ctx, func(t *tx) error {
		places, err := t.q.findTexts(ctx, terms, sites, below, limit)
		if err == nil {
			found, err = t.messagesAt(places)
		}
		if err != nil && ctx.Err() != nil {
			failed = context.Cause(ctx)
		}
		return err
	})
	if failed != nil { // the database is not to blame
		return nil, failed
	}
	return found, err
}

const (
	selectIDOf      = `SELECT id FROM sessions WHERE number = ?`
	selectMessageAt = `SELECT ` + messageColumns + ` FROM messages WHERE session = ? AND seq = ?`
)

// messagesAt reads the messages whose words were found. One that is gone meanwhile is
// left out.
func (t *tx) messagesAt(places []textPlace) (found []chat.FoundMessage, err error) {
	for _, p := range places {
		id, err := one[string](t, chat.ErrSessionNotFound, selectIDOf, p.Session)
		if err != nil {
			if errors.Is(err, chat.ErrSessionNotFound) {
				continue
			}
			return nil, err
		}
		rows, err := list[chat.Message](t, selectMessageAt, p.Session, p.Seq)
		if err != nil {
			return nil, err
		}
		for _, m := range rows {
			m.SessionID = id
			found = append(found, chat.FoundMessage{Message: m, Place: p.Number})
		}
	}
	return found, nil
}

// searchedTexts are what a message is found by: what it says, and the names of its files.
func searchedTexts(m *chat.Message) []string {
	texts := []string{m.Content}
	for _, a := range m.Attachments.V {
		texts = append(texts, a.Filename)
	}
	return texts
}

// changeText replaces the words of a message that changed, if they are indexed.
func (t *tx) changeText(m *chat.Message) error {
	session, err := t.number(m.SessionID)
	if err == nil {
		err = t.q.changeText(session, m.Seq, words.Set(searchedTexts(m)...))
	}
	return err
}

func belowOrAll(below int64) int64 {
	if below <= 0 {
		return math.MaxInt64
	}
	return below
}

// SQLite walks through the index from the newest message on and stops at the limit.
const (
	insertText = `INSERT INTO search_texts (number, session, seq, words) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`
	updateText = `UPDATE search_texts SET words = ? WHERE session = ? AND seq = ?`
	findTexts  = `SELECT t.number, t.session, t.seq FROM search_words w CROSS JOIN search_texts t ON t.number = w.rowid
		WHERE w.search_words MATCH ? AND w.rowid < ?`
	findTextsOf = ` AND EXISTS (SELECT 1 FROM sessions s WHERE s.number = t.session`
	newestTexts = ` ORDER BY w.rowid DESC LIMIT ?`
)

func (c *conn) putTexts(texts []searchedText) (left []searchedText, err error) {
	for _, text := range texts {
		n, err := c.exec(insertText, text.Number, text.Session, text.Seq, strings.Join(text.set, " "))
		if err != nil {
			return nil, err
		}
		if n == 0 {
			left = append(left, text)
		}
	}
	return left, nil
}

func (c *conn) changeText(session, seq int64, set []string) error {
	_, err := c.exec(updateText, strings.Join(set, " "), session, seq)
	return err
}

func (c *conn) findTexts(ctx context.Context, terms []words.Term, sites chat.SiteSet, below int64, limit int) (places []textPlace, err error) {
	parts := make([]string, len(terms))
	for i, t := range terms {
		parts[i] = `"` + t.Text + `"`
		if t.Prefix {
			parts[i] += " *"
		}
	}
	query, args := findTexts, []any{strings.Join(parts, " AND "), belowOrAll(below)}
	if in, of := inList("s.site", sites); sites != nil {
		query, args = query+findTextsOf+in+`)`, append(args, of...)
	}
	err = c.raw.SelectContext(ctx, &places, query+newestTexts, append(args, limit)...)
	if err != nil && ctx.Err() != nil {
		c.broken = ctx.Err() // its statement was interrupted
	}
	return places, c.noteBroken(err)
}

const (
	insertTextVector = `INSERT INTO search_texts (number, session, seq, words) VALUES (?, ?, ?, ?::tsvector) ON CONFLICT DO NOTHING`
	updateTextVector = `UPDATE search_texts SET words = ?::tsvector WHERE session = ? AND seq = ?`
	vectorsOf        = ` AND EXISTS (SELECT 1 FROM sessions s WHERE s.number = t.session AND s.site = ANY($4))`

	// PostgreSQL does not know which words are rare, and may walk past all messages for them. So
	// it walks a little, which finds what is frequent, and then looks up in the index of words
	// what is not: + 0 keeps it from walking again.
	walkVectors = `SELECT number, session, seq FROM (SELECT number, session, seq, words FROM search_texts WHERE number < $2
		ORDER BY number DESC LIMIT 2000) AS t WHERE words @@ $1::tsquery`
	newestWalked   = ` ORDER BY number DESC LIMIT $3`
	lookUpVectors  = `SELECT number, session, seq FROM search_texts t WHERE words @@ $1::tsquery AND number < $2`
	newestLookedUp = ` ORDER BY number + 0 DESC LIMIT $3`
)

func (p *pgTx) putTexts(texts []searchedText) (left []searchedText, err error) {
	for _, text := range texts {
		q, err := p.queue(insertTextVector, []any{text.Number, text.Session, text.Seq, setVector(text.set)})
		if err != nil {
			return nil, err
		}
		q.Exec(func(tag pgconn.CommandTag) error {
			if tag.RowsAffected() == 0 {
				left = append(left, text)
			}
			return nil
		})
	}
	return left, p.send()
}

func (p *pgTx) changeText(session, seq int64, set []string) error {
	_, err := p.exec(updateTextVector, setVector(set), session, seq)
	return err
}

// setVector renders words as a tsvector without places.
func setVector(set []string) string {
	quoted := make([]string, len(set))
	for i, word := range set {
		quoted[i] = quoteWord(word)
	}
	return strings.Join(quoted, " ")
}

func (p *pgTx) findTexts(ctx context.Context, terms []words.Term, sites chat.SiteSet, below int64, limit int) (places []textPlace, err error) {
	parts := make([]string, len(terms))
	for i, t := range terms {
		parts[i] = quoteWord(t.Text)
		if t.Prefix {
			parts[i] += ":*"
		}
	}
	of, args := "", []any{strings.Join(parts, " & "), belowOrAll(below), limit}
	if sites != nil {
		of, args = vectorsOf, append(args, []string(sites))
	}
	if err := p.send(); err != nil {
		return nil, err
	}
	err = p.conn.SelectContext(ctx, &places, walkVectors+of+newestWalked, args...)
	if err == nil && len(places) < limit {
		places = nil
		err = p.conn.SelectContext(ctx, &places, lookUpVectors+of+newestLookedUp, args...)
	}
	return places, err
}
