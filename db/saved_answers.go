package db

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/relay-chat/relay/server/chat"
)

const (
	selectSavedAnswers = `SELECT name, content, saved_by, updated_at FROM saved_answers`
	selectSavedAnswer  = selectSavedAnswers + ` WHERE name = ?`
	countSavedAnswers  = `SELECT COUNT(*) FROM saved_answers`
)

// SavedAnswers implements [chat.Reader]. They are ordered here: the databases
// compare names differently.
func (t *tx) SavedAnswers() ([]chat.SavedAnswer, error) {
	answers, err := list[chat.SavedAnswer](t, selectSavedAnswers)
	slices.SortFunc(answers, func(a, b chat.SavedAnswer) int { return cmp.Compare(a.Name, b.Name) })
	return answers, err
}

// SavedAnswer implements [chat.Reader].
func (t *tx) SavedAnswer(name string) (chat.SavedAnswer, error) {
	return one[chat.SavedAnswer](t, chat.ErrSavedAnswerNotFound, selectSavedAnswer, name)
}

// CountSavedAnswers implements [chat.Reader].
func (t *tx) CountSavedAnswers() (int, error) { return one[int](t, nil, countSavedAnswers) }

const upsertSavedAnswer = `INSERT INTO saved_answers (name, content, saved_by, updated_at) VALUES (?, ?, ?, ?)
	ON CONFLICT (name) DO UPDATE SET content = excluded.content, saved_by = excluded.saved_by, updated_at = excluded.updated_at`

// PutSavedAnswer implements [chat.Tx].
func (t *tx) PutSavedAnswer(a *chat.SavedAnswer) error {
	if _, err := t.q.exec(upsertSavedAnswer, a.Name, a.Content, a.SavedBy, int64(a.UpdatedAt)); err != nil {
		return fmt.Errorf("put saved answer: %w", err)
	}
	return nil
}

const deleteSavedAnswer = `DELETE FROM saved_answers WHERE name = ?`

// DeleteSavedAnswer implements [chat.Tx].
func (t *tx) DeleteSavedAnswer(name string) error {
	return t.touch(chat.ErrSavedAnswerNotFound, deleteSavedAnswer, name)
}
