package db

import (
	"fmt"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/words"
)

const (
	selectAsked   = `SELECT number, title FROM sources WHERE session = ? AND session <> 0`
	setTitle      = `UPDATE sources SET title = ?, session = 0 WHERE number = ?`
	setPageTitle  = `UPDATE pages SET title = ? WHERE source = ?`
	selectOfPages = `SELECT g.page, g.title, g.text FROM passages g JOIN pages p ON p.number = g.page WHERE p.source = ? ORDER BY g.number`
	dropPassages  = `DELETE FROM passages WHERE page = ?`
)

// askedTitle is the title of an answer whose question is erased.
const askedTitle = "Answer to a question"

// askedSource is a source whose title is a visitor's question.
type askedSource struct {
	Number int64
	Title  string
}

// forgetAsked takes the words of a session's visitor out of the knowledge, where they are the
// titles of answers. The answers stay.
func (t *tx) forgetAsked(session int64) error {
	sources, err := list[askedSource](t, selectAsked, session)
	for _, s := range sources {
		if err == nil {
			err = t.retitle(s)
		}
	}
	if err != nil {
		return fmt.Errorf("forget the questions of session %d: %w", session, err)
	}
	return nil
}

func (t *tx) retitle(s askedSource) error {
	passages, err := list[struct {
		Page        int64
		Title, Text string
	}](t, selectOfPages, s.Number)
	if err != nil {
		return err
	}
	pages := map[int64][]chat.IndexedPassage{}
	for _, p := range passages {
		title := askedTitle + strings.TrimPrefix(p.Title, s.Title)
		if !strings.HasPrefix(p.Title, s.Title) {
			title = askedTitle
		}
		pages[p.Page] = append(pages[p.Page], chat.IndexedPassage{Title: title, Text: p.Text, TitleWords: words.WithStems(title), TextWords: words.WithStems(p.Text)})
	}
	if _, err := t.q.exec(setTitle, askedTitle, s.Number); err != nil {
		return err
	}
	if _, err := t.q.exec(setPageTitle, askedTitle, s.Number); err != nil {
		return err
	}
	for page, list := range pages {
		if _, err := t.q.exec(dropPassages, page); err != nil {
			return err
		}
		if err := t.putPassages(page, list); err != nil {
			return err
		}
	}
	return nil
}
