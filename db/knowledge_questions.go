package db

import (
	"context"
	"fmt"

	"github.com/relay-chat/relay/server/chat"
)

const (
	upsertQuestion = `INSERT INTO questions (key, id, session, count, asked_at, question, context) VALUES (?, ?, ?, 1, ?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET session = excluded.session, count = questions.count + 1, asked_at = excluded.asked_at`
	oldestQuestions = `DELETE FROM questions WHERE key IN (SELECT key FROM questions ORDER BY count DESC, asked_at DESC LIMIT 1000 OFFSET ?)`
)

// AddQuestion notes a question that had no answer, once more if its key is known. Of
// too many, those that were asked least are forgotten.
func (d *DB) AddQuestion(ctx context.Context, key string, q *chat.Question) error {
	return d.backend.apply(ctx, func(t *tx) error {
		session, err := t.number(q.SessionID)
		if err == nil {
			_, err = t.q.exec(upsertQuestion, key, q.ID, session, int64(q.AskedAt), q.Question, q.Context)
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

const selectQuestions = `SELECT q.id, q.question, q.context, q.count, s.id AS session_id, s.site, q.asked_at, q.model, q.vector
	FROM questions q JOIN sessions s ON s.number = q.session`

// Questions lists what the AI could not answer, most asked first.
func (d *DB) Questions(ctx context.Context) (questions []chat.Question, err error) {
	err = d.backend.read(ctx, func(t *tx) error {
		questions, err = list[chat.Question](t, selectQuestions+` ORDER BY q.count DESC, q.asked_at DESC, q.id`)
		return err
	})
	return questions, err
}

// Question reads one.
func (d *DB) Question(ctx context.Context, id string) (q chat.Question, err error) {
	err = d.backend.look(ctx, func(t *tx) error {
		q, err = one[chat.Question](t, chat.ErrQuestionNotFound, selectQuestions+` WHERE q.id = ?`, id)
		return err
	})
	return q, err
}

const deleteQuestion = `DELETE FROM questions WHERE id = ?`

// DropQuestion forgets a question.
func (d *DB) DropQuestion(ctx context.Context, id string) error {
	return d.backend.apply(ctx, func(t *tx) error { return t.touch(chat.ErrQuestionNotFound, deleteQuestion, id) })
}

const (
	selectUnembedded = `SELECT id, CASE WHEN context = '' THEN question ELSE context || ' ' || question END FROM questions WHERE model <> ? ORDER BY id LIMIT ?`
	updateQuestion   = `UPDATE questions SET model = ?, vector = ? WHERE id = ?`
)

// UnembeddedQuestions lists questions of which the embedding model was not asked yet.
func (d *DB) UnembeddedQuestions(ctx context.Context, model string, limit int) (ids, texts []string, err error) {
	err = d.backend.look(ctx, func(t *tx) error {
		ids, texts = nil, nil
		return t.q.rows(func() []any {
			ids, texts = append(ids, ""), append(texts, "")
			return []any{&ids[len(ids)-1], &texts[len(texts)-1]}
		}, limited(selectUnembedded, limit), model)
	})
	return ids, texts, err
}

// PutQuestionVectors stores what the embedding model said of questions. Those that are gone are left out.
func (d *DB) PutQuestionVectors(ctx context.Context, model string, ids []string, vectors [][]byte) error {
	return d.backend.apply(ctx, func(t *tx) error {
		for i, id := range ids {
			if _, err := t.q.exec(updateQuestion, model, vectors[i], id); err != nil {
				return err
			}
		}
		return nil
	})
}
