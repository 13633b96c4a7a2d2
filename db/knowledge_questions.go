package db

import (
	"context"
	"fmt"

	"github.com/relay-chat/relay/server/chat"
)

const (
	upsertQuestion = `INSERT INTO questions (key, id, session, count, asked_at, question) VALUES (?, ?, ?, 1, ?, ?)
		ON CONFLICT (key) DO UPDATE SET session = excluded.session, count = questions.count + 1, asked_at = excluded.asked_at`
	oldestQuestions = `DELETE FROM questions WHERE key IN (SELECT key FROM questions ORDER BY count DESC, asked_at DESC LIMIT 1000 OFFSET ?)`
)

// AddQuestion notes a question that had no answer, once more if its key is known. Of
// too many, those that were asked least are forgotten.
func (d *DB) AddQuestion(ctx context.Context, key string, q *chat.Question) error {
	return d.backend.apply(ctx, func(t *tx) error {
		session, err := t.number(q.SessionID)
		if err == nil {
			_, err = t.q.exec(upsertQuestion, key, q.ID, session, int64(q.AskedAt), q.Question)
		}
		if err == nil {
			_, err = t.q.exec(oldestQuestions, chat.MaxQuestions)
		}
		if err != nil {
			return fmt.Errorf("note a question: %w", err)
		}
		return nil
	})
}

const selectQuestions = `SELECT q.id, q.question, q.count, s.id AS session_id, q.asked_at FROM questions q JOIN sessions s ON s.number = q.session
	ORDER BY q.count DESC, q.asked_at DESC, q.id`

// Questions lists what the AI could not answer, most asked first.
func (d *DB) Questions(ctx context.Context) (questions []chat.Question, err error) {
	err = d.backend.read(ctx, func(t *tx) error {
		questions, err = list[chat.Question](t, selectQuestions)
		return err
	})
	return questions, err
}

// Question reads one.
func (d *DB) Question(ctx context.Context, id string) (q chat.Question, err error) {
	err = d.backend.look(ctx, func(t *tx) error {
		q, err = one[chat.Question](t, chat.ErrQuestionNotFound, `SELECT q.id, q.question, q.count, s.id AS session_id, q.asked_at
			FROM questions q JOIN sessions s ON s.number = q.session WHERE q.id = ?`, id)
		return err
	})
	return q, err
}

const deleteQuestion = `DELETE FROM questions WHERE id = ?`

// DropQuestion forgets a question.
func (d *DB) DropQuestion(ctx context.Context, id string) error {
	return d.backend.apply(ctx, func(t *tx) error { return t.touch(chat.ErrQuestionNotFound, deleteQuestion, id) })
}
