package db

import (
	"context"
	"fmt"

	"github.com/relay-chat/relay/server/chat"
)

const selectSources = `SELECT s.id, s.kind, s.title, s.url, s.site, s.trusted, s.note, s.created_at, s.refresh_at,
	(SELECT COUNT(*) FROM pages p WHERE p.source = s.number AND p.sitemap = ?) AS pages,
	(SELECT COUNT(*) FROM pages p WHERE p.source = s.number AND p.state = 0) AS waiting,
	(SELECT COUNT(*) FROM pages p WHERE p.source = s.number AND p.state = 2) AS failed,
	(SELECT COUNT(*) FROM passages g JOIN pages p ON p.number = g.page WHERE p.source = s.number) AS passages FROM sources s`

// Sources lists the knowledge base's sources, newest first.
func (d *DB) Sources(ctx context.Context) (sources []chat.KnowledgeSource, err error) {
	err = d.backend.read(ctx, func(t *tx) error {
		sources, err = list[chat.KnowledgeSource](t, selectSources+` ORDER BY s.number DESC`, false)
		return err
	})
	return sources, err
}

// Source reads a source with its pages, those in trouble first.
func (d *DB) Source(ctx context.Context, id string) (s chat.KnowledgeSource, pages []chat.SourcePage, err error) {
	err = d.backend.read(ctx, func(t *tx) error {
		if s, err = one[chat.KnowledgeSource](t, chat.ErrSourceNotFound, selectSources+` WHERE s.id = ?`, false, id); err != nil {
			return err
		}
		pages, err = list[chat.SourcePage](t, selectPages, id)
		return err
	})
	return s, pages, err
}

const (
	countSources = `SELECT COUNT(*) FROM sources`
	insertSource = `INSERT INTO sources (number, id, kind, trusted, created_at, refresh_at, url, title, note, site, session)
		VALUES ((SELECT COALESCE(MAX(number), 0) + 1 FROM sources), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	askedBy = `SELECT session FROM questions WHERE id = ?`
)

// AddSource adds a source with its first page, and with what was read of that already. Of questions
// that it answers the ids are given, that of its title first; the others may be gone.
func (d *DB) AddSource(ctx context.Context, s *chat.KnowledgeSource, first *chat.SourcePage, passages []chat.IndexedPassage, questions []string) error {
	return d.backend.apply(ctx, func(t *tx) error {
		session := int64(0)
		if len(questions) > 0 {
			var err error
			if session, err = one[int64](t, chat.ErrQuestionNotFound, askedBy, questions[0]); err != nil {
				return err
			}
		}
		for _, id := range questions {
			if _, err := t.q.exec(deleteQuestion, id); err != nil {
				return err
			}
		}
		if n, err := one[int](t, nil, countSources); err != nil || n >= chat.MaxSources {
			return firstOf(err, chat.ErrTooManySources)
		}
		_, err := t.q.exec(insertSource, s.ID, s.Kind, s.Trusted, int64(s.CreatedAt), int64(s.RefreshAt), s.URL, s.Title, s.Note, s.Site, session)
		if err != nil {
			return fmt.Errorf("add source %s: %w", s.ID, err)
		}
		page, err := t.addPage(s.ID, first)
		if err != nil {
			return err
		}
		return t.putPassages(page, passages)
	})
}

// firstOf returns err, or other if that is nil.
func firstOf(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

const selectTexts = `SELECT p.text FROM passages p JOIN pages g ON g.number = p.page JOIN sources s ON s.number = g.source
	WHERE s.id = ? ORDER BY p.page, p.number`

// SourceTexts lists the passages of a source, in their order.
func (d *DB) SourceTexts(ctx context.Context, id string) (texts []string, err error) {
	err = d.backend.look(ctx, func(t *tx) error {
		texts, err = list[string](t, selectTexts, id)
		return err
	})
	return texts, err
}

const setSourceSite = `UPDATE sources SET site = ? WHERE id = ?`

// MoveSource makes a source answer the visitors of another site, or of all.
func (d *DB) MoveSource(ctx context.Context, id, site string) error {
	return d.backend.apply(ctx, func(t *tx) error { return t.touch(chat.ErrSourceNotFound, setSourceSite, site, id) })
}

const (
	selectPageNumbers = `SELECT p.number FROM pages p JOIN sources s ON s.number = p.source WHERE s.id = ? LIMIT 100`
	deletePage        = `DELETE FROM pages WHERE number = ?`
	deleteSource      = `DELETE FROM sources WHERE id = ?`
)

// RemoveSource removes a source with all that was read of it, a hundred pages at a
// time so that nobody waits for long behind it.
func (d *DB) RemoveSource(ctx context.Context, id string) error {
	ctx = context.WithoutCancel(ctx)
	for more := true; more; {
		err := d.backend.apply(ctx, func(t *tx) error {
			n, err := t.dropPages(selectPageNumbers, id)
			if more = n == 100; more || err != nil {
				return err
			}
			return t.touch(chat.ErrSourceNotFound, deleteSource, id)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// dropPages deletes the first hundred pages that a query lists, and returns how many it did.
func (t *tx) dropPages(query, of string) (int, error) {
	numbers, err := list[int64](t, query, of)
	for _, n := range numbers {
		if err == nil {
			_, err = t.q.exec(deletePage, n)
		}
	}
	return len(numbers), err
}

const (
	refreshPages = `UPDATE pages SET state = 0, attempts = 0, next_at = ? WHERE state <> 0 AND url <> ''
		AND source = (SELECT number FROM sources WHERE id = ? AND kind IN ('page', 'site'))`
	setRefresh = `UPDATE sources SET refresh_at = ?, note = '' WHERE id = ? AND kind IN ('page', 'site')`
	selectDue  = `SELECT id FROM sources WHERE refresh_at > 0 AND refresh_at <= ? ORDER BY refresh_at LIMIT 20`
)

// RefreshSource has the pages of a source fetched again from now on, and once more
// at next. What has no address stays as it is.
func (d *DB) RefreshSource(ctx context.Context, id string, now, next chat.Time) error {
	return d.backend.apply(ctx, func(t *tx) error {
		if _, err := one[string](t, chat.ErrSourceNotFound, `SELECT kind FROM sources WHERE id = ?`, id); err != nil {
			return err
		}
		return t.refresh(id, now, next)
	})
}

// RefreshDue does that with the sources for which it is time.
func (d *DB) RefreshDue(ctx context.Context, now, next chat.Time) error {
	var due []string
	err := d.backend.look(ctx, func(t *tx) (err error) {
		due, err = list[string](t, selectDue, int64(now))
		return err
	})
	if err != nil || len(due) == 0 {
		return err
	}
	return d.backend.apply(ctx, func(t *tx) error {
		for _, id := range due {
			if err := t.refresh(id, now, next); err != nil {
				return err
			}
		}
		return nil
	})
}

func (t *tx) refresh(id string, now, next chat.Time) error {
	_, err := t.q.exec(refreshPages, int64(now), id)
	if err == nil {
		_, err = t.q.exec(setRefresh, int64(next), id)
	}
	return err
}
