package db

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/relay-chat/relay/server/chat"
)

// pageColumns leave out the file, which is large.
const pageColumns = `p.number, p.url, p.title, p.state, p.sitemap, p.error, p.fetched_at, p.next_at, p.attempts, p.etag, p.modified, p.hash, p.dated, p.reader,
	(SELECT COUNT(*) FROM passages g WHERE g.page = p.number) AS passages`

const selectPages = `SELECT ` + pageColumns + ` FROM pages p JOIN sources s ON s.number = p.source WHERE s.id = ?
	ORDER BY CASE WHEN p.error <> '' THEN 0 ELSE 1 END, p.number`

const (
	insertPage = `INSERT INTO pages (number, source, url, state, sitemap, attempts, next_at, listed, fetched_at, hash, etag, modified, title, error, file)
		VALUES ((SELECT COALESCE(MAX(number), 0) + 1 FROM pages), (SELECT number FROM sources WHERE id = ?), ?, ?, ?, 0, ?, ?, ?, ?, '', '', ?, '', ?)
		ON CONFLICT (source, url) DO NOTHING`
	selectPageNumber = `SELECT p.number FROM pages p JOIN sources s ON s.number = p.source WHERE s.id = ? AND p.url = ?`
)

// addPage adds a page unless the source has one with its address.
func (t *tx) addPage(source string, p *chat.SourcePage) (number int64, err error) {
	_, err = t.q.exec(insertPage, source, p.URL, int(p.State), p.Sitemap, int64(p.NextAt), int64(p.NextAt), int64(p.FetchedAt), p.Hash, p.Title, append([]byte{}, p.File...))
	if err != nil {
		return 0, fmt.Errorf("add a page to %s: %w", source, err)
	}
	err = t.row(nil, []any{&number}, selectPageNumber, source, p.URL)
	return number, err
}

// nextPage prefers what needs no network: its time is 0.
const nextPage = `SELECT ` + pageColumns + `, p.file, s.id AS source FROM pages p JOIN sources s ON s.number = p.source
	WHERE p.state = 0 AND p.next_at <= ? ORDER BY p.next_at, p.number LIMIT 1`

// NextPage returns the page that is to be read next, and its source; its number is 0
// when there is none by now.
func (d *DB) NextPage(ctx context.Context, now chat.Time) (p chat.SourcePage, s chat.KnowledgeSource, err error) {
	err = d.backend.read(ctx, func(t *tx) error {
		var found struct {
			chat.SourcePage
			Source string
		}
		if found, err = one[struct {
			chat.SourcePage
			Source string
		}](t, errNone, nextPage, int64(now)); err != nil {
			return err
		}
		p = found.SourcePage
		s, err = one[chat.KnowledgeSource](t, chat.ErrSourceNotFound, selectSources+` WHERE s.id = ?`, false, found.Source)
		return err
	})
	if errors.Is(err, errNone) {
		err = nil
	}
	return p, s, err
}

// errNone means that no row was found where that is fine.
var errNone = errors.New("none")

const (
	updatePage = `UPDATE pages SET title = ?, state = ?, sitemap = ?, error = ?, fetched_at = ?, next_at = ?, attempts = ?, etag = ?, modified = ?,
		hash = ?, dated = ?, reader = ?, file = ? WHERE number = ? AND state = 0`
	selectTwin = `SELECT COUNT(*) FROM pages p WHERE p.source = (SELECT source FROM pages WHERE number = ?) AND p.hash = ? AND p.number <> ?
		AND EXISTS (SELECT 1 FROM passages g WHERE g.page = p.number)`
	countAttempt = `UPDATE pages SET attempts = attempts + 1 WHERE number = ?`
	// wakeTwin has the first page that had the same text, and none of its own, read again.
	wakeTwin = `UPDATE pages SET state = 0, attempts = 0, next_at = ? WHERE number = (SELECT MIN(p.number) FROM pages p JOIN pages was ON was.source = p.source
		WHERE was.number = ? AND was.hash <> '' AND was.hash <> ? AND p.hash = was.hash AND p.number <> was.number AND p.state = 1
		AND NOT EXISTS (SELECT 1 FROM passages g WHERE g.page = p.number))`
	deletePassages = `DELETE FROM passages WHERE page = ?`
	countPages     = `SELECT COUNT(*) FROM pages p JOIN sources s ON s.number = p.source WHERE s.id = ? AND p.sitemap = ?`
	listPage       = `UPDATE pages SET listed = ? WHERE url = ? AND source = (SELECT number FROM sources WHERE id = ?)`
	noteSource     = `UPDATE sources SET note = ? WHERE id = ? AND note = ''`
	titleSource    = `UPDATE sources SET title = ? WHERE id = ? AND title = url`
)

// CountAttempt notes that a page is about to be read.
func (d *DB) CountAttempt(ctx context.Context, page int64) error {
	return d.backend.apply(ctx, func(t *tx) error {
		_, err := t.q.exec(countAttempt, page)
		return err
	})
}

// SettlePage stores what came of reading a page. Of pages with the same text one keeps it;
// when that one goes or changes, the next one is read again. A page that was removed or settled meanwhile stays as it is.
func (d *DB) SettlePage(ctx context.Context, source string, r *chat.PageResult) error {
	if err := d.storePassages(ctx, r); err != nil {
		return err
	}
	return d.backend.apply(ctx, func(t *tx) error {
		p := &r.Page
		_, err := t.q.exec(wakeTwin, int64(p.FetchedAt), p.Number, p.Hash)
		if err == nil {
			err = t.touch(errNone, updatePage, p.Title, int(p.State), p.Sitemap, p.Error, int64(p.FetchedAt), int64(p.NextAt), p.Attempts, p.ETag,
				p.Modified, p.Hash, int64(p.Dated), p.Reader, append([]byte{}, p.File...), p.Number)
		}
		if err == nil && r.Title != "" {
			_, err = t.q.exec(titleSource, r.Title, source)
		}
		if err == nil {
			err = t.addFound(source, p.FetchedAt, r)
		}
		if errors.Is(err, errNone) {
			return nil
		}
		return err
	})
}

// passagePortion is how many passages are stored at a time: everybody waits meanwhile.
const passagePortion = 100

// storePassages replaces the passages of a page, some at a time. Cut off, the page is
// still to be read, and they are replaced again.
func (d *DB) storePassages(ctx context.Context, r *chat.PageResult) error {
	if !r.Replace {
		return nil
	}
	p, twins := &r.Page, 0
	err := d.backend.apply(ctx, func(t *tx) (err error) {
		if _, err = t.q.exec(deletePassages, p.Number); err == nil && p.Hash != "" {
			twins, err = one[int](t, nil, selectTwin, p.Number, p.Hash, p.Number)
		}
		return err
	})
	if twins > 0 {
		return err
	}
	for some := range slices.Chunk(r.Passages, passagePortion) {
		if err == nil {
			err = d.backend.apply(ctx, func(t *tx) error {
				if n, err := one[int](t, nil, `SELECT COUNT(*) FROM pages WHERE number = ?`, p.Number); err != nil || n == 0 {
					return err
				}
				return t.putPassages(p.Number, some)
			})
		}
	}
	if errors.Is(err, chat.ErrKnowledgeFull) {
		p.Error = chat.ErrKnowledgeFull.Text
		return nil
	}
	return err
}

// addFound adds the pages that a page led to, as far as the source may have them.
func (t *tx) addFound(source string, now chat.Time, r *chat.PageResult) error {
	if len(r.Found) == 0 && r.Dropped == 0 {
		return nil
	}
	have, err := one[int](t, nil, countPages, source, r.Index)
	if err != nil {
		return err
	}
	most, dropped := chat.MaxSourcePages, r.Dropped
	if r.Index {
		most = chat.MaxSitemaps
	}
	for _, url := range r.Found {
		known, err := t.q.exec(listPage, int64(now), url, source)
		switch {
		case err != nil:
			return err
		case known > 0:
			continue
		case have >= most:
			dropped++
			continue
		}
		have++
		if _, err := t.addPage(source, &chat.SourcePage{URL: url, NextAt: now, Sitemap: r.Index}); err != nil {
			return err
		}
	}
	if dropped == 0 {
		return nil
	}
	_, err = t.q.exec(noteSource, fmt.Sprintf("It has more than %d pages. The first %[1]d are read; add the others as sources of their own.", chat.MaxSourcePages), source)
	return err
}

const (
	hasText = `SELECT COUNT(*) FROM passages g JOIN pages p ON p.number = g.page JOIN sources s ON s.number = p.source WHERE s.id = ? AND p.url = ?`
	// notListed counts what keeps a source from being compared with its sitemaps: that its first
	// page is none, pages that wait, and sitemaps that were not read since a time.
	notListed = `SELECT COUNT(*) FROM pages p WHERE p.source = (SELECT number FROM sources WHERE id = ?) AND (p.state = 0
		OR p.sitemap = ? AND (p.state <> 1 OR p.fetched_at < ? OR p.reader <> ?)
		OR p.sitemap = ? AND p.number = (SELECT MIN(f.number) FROM pages f WHERE f.source = p.source))`
	selectUnlisted = `SELECT p.number FROM pages p WHERE p.source = (SELECT number FROM sources WHERE id = ?) AND p.listed < ?
		AND p.number <> (SELECT MIN(f.number) FROM pages f WHERE f.source = p.source) LIMIT 100`
)

// HasText reports whether a page of a source has passages.
func (d *DB) HasText(ctx context.Context, source, url string) (there bool, err error) {
	err = d.backend.read(ctx, func(t *tx) error {
		n, err := one[int](t, nil, hasText, source, url)
		there = n > 0
		return err
	})
	return there, err
}

// DropUnlisted removes the pages that the sitemaps of a source listed before a time only, a hundred at most.
// Nothing is removed unless all sitemaps were read since then, by this form of the reader, and no page waits. Of pages with
// the same text another one is read again.
func (d *DB) DropUnlisted(ctx context.Context, source string, since chat.Time, reader int, now chat.Time) error {
	var gone []int64
	err := d.backend.read(ctx, func(t *tx) error {
		n, err := one[int](t, nil, notListed, source, true, int64(since), reader, false)
		if err == nil && n == 0 {
			gone, err = list[int64](t, selectUnlisted, source, int64(since))
		}
		return err
	})
	if err != nil || len(gone) == 0 {
		return err
	}
	return d.backend.apply(ctx, func(t *tx) error {
		for _, number := range gone {
			if _, err := t.q.exec(wakeTwin, int64(now), number, ""); err != nil {
				return err
			}
			if _, err := t.q.exec(deletePage, number); err != nil {
				return err
			}
		}
		return nil
	})
}

const (
	nextPassage   = `SELECT COALESCE(MAX(number), 0) + 1 FROM passages`
	countPassages = `SELECT COUNT(*) FROM passages`
	insertPassage = `INSERT INTO passages (number, page, title, text, model, vector) VALUES (?, ?, ?, ?, '', ?)`
)

// putPassages adds passages to a page, or answers ErrKnowledgeFull.
func (t *tx) putPassages(page int64, passages []chat.IndexedPassage) error {
	if len(passages) == 0 {
		return nil
	}
	var next int64
	var have int
	err := t.row(nil, []any{&next}, nextPassage)
	if err == nil {
		err = t.row(nil, []any{&have}, countPassages)
	}
	if err == nil && have+len(passages) > chat.MaxPassages {
		return chat.ErrKnowledgeFull
	}
	for i := range passages {
		p := &passages[i]
		if err == nil {
			_, err = t.q.exec(insertPassage, next+int64(i), page, p.Title, p.Text, []byte{})
		}
		if err == nil {
			err = t.q.putWords(next+int64(i), p)
		}
	}
	return err
}
