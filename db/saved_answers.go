package db

import (
	"cmp"
	"fmt"
	"sort"

	"github.com/relay-chat/relay/server/chat"
)

const (
	selectSavedAnswers = `SELECT owner, site, name, content, saved_by, updated_at FROM saved_answers WHERE owner IN ('', ?)`
	selectNamed        = selectSavedAnswers + ` AND name = ?`
	countSavedAnswers  = `SELECT COUNT(*) FROM saved_answers WHERE owner = ?`
)

// SavedAnswers implements [chat.Reader]. They are ordered here: the databases
// compare names differently.
func (t *tx) SavedAnswers(owner string) ([]chat.SavedAnswer, error) {
	answers, err := list[chat.SavedAnswer](t, selectSavedAnswers, owner)
	sort.Slice(answers, func(i, j int) bool {
		a, b := &answers[i], &answers[j]
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(b.Owner, a.Owner), cmp.Compare(a.Site, b.Site)) < 0
	})
	return answers, err
}

// SavedAnswersNamed implements [chat.Reader].
func (t *tx) SavedAnswersNamed(owner, name string) ([]chat.SavedAnswer, error) {
	return list[chat.SavedAnswer](t, selectNamed, owner, name)
}

// CountSavedAnswers implements [chat.Reader].
func (t *tx) CountSavedAnswers(owner string) (int, error) {
	return one[int](t, nil, countSavedAnswers, owner)
}

const upsertSavedAnswer = `INSERT INTO saved_answers (owner, site, name, content, saved_by, updated_at) VALUES (?, ?, ?, ?, ?, ?)
	ON CONFLICT (owner, name, site) DO UPDATE SET content = excluded.content, saved_by = excluded.saved_by, updated_at = excluded.updated_at`

// PutSavedAnswer implements [chat.Tx].
func (t *tx) PutSavedAnswer(a *chat.SavedAnswer) error {
	if _, err := t.q.exec(upsertSavedAnswer, a.Owner, a.Site, a.Name, a.Content, a.SavedBy, int64(a.UpdatedAt)); err != nil {
		return fmt.Errorf("put saved answer: %w", err)
	}
	return nil
}

const deleteSavedAnswer = `DELETE FROM saved_answers WHERE owner = ? AND site = ? AND name = ?`

// DeleteSavedAnswer implements [chat.Tx].
func (t *tx) DeleteSavedAnswer(owner, site, name string) error {
	return t.touch(chat.ErrSavedAnswerNotFound, deleteSavedAnswer, owner, site, name)
}
