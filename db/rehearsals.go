package db

import (
	"context"
	"fmt"

	"github.com/relay-chat/relay/server/chat"
)

const (
	selectRehearsals = `SELECT r.id, s.id AS session_id, s.site, r.message, r.question, r.answered, r.said, r.verdict, r.reason, r.before_said, r.before_verdict,
		r.judged, r.waiting, r.asked_at, r.at, r.topic, r.tokens, r.cause FROM rehearsals r JOIN sessions s ON s.number = r.session`
	upsertRehearsal = `INSERT INTO rehearsals (id, session, message, question, answered, waiting, asked_at) VALUES (?, ?, ?, ?, ?, 1, ?)
		ON CONFLICT (session, message) DO UPDATE SET question = excluded.question, answered = excluded.answered, waiting = 1, cause = ''`
	settleRehearsal = `UPDATE rehearsals SET before_said = said, before_verdict = verdict, said = ?, verdict = ?, reason = ?, judged = ?, at = ?, tokens = ?, waiting = 0 WHERE id = ? AND waiting = 1`
	judgeRehearsal  = `UPDATE rehearsals SET judged = ? WHERE id = ?`
	stopRehearsal   = `UPDATE rehearsals SET waiting = 0 WHERE id = ?`
	dropRehearsal   = `DELETE FROM rehearsals WHERE id = ? AND verdict = ''`
	// planShadow leaves one alone whose answer is the same.
	planShadow = upsertRehearsal + ` WHERE rehearsals.answered <> excluded.answered`
	// oldRehearsals spares the questions by which topics that the AI answers are known: no new ones come.
	oldRehearsals = `DELETE FROM rehearsals WHERE id IN (SELECT r.id FROM rehearsals r LEFT JOIN ai_topics t ON t.id = r.topic
		WHERE COALESCE(t.state, '') <> 'answers' ORDER BY r.asked_at DESC, r.id LIMIT 10000 OFFSET ?)`
	oldEarned = `DELETE FROM rehearsals WHERE id IN (SELECT id FROM rehearsals ORDER BY asked_at DESC, id LIMIT 10000 OFFSET ?)`
)

// PlanRehearsals adds questions that the AI shall answer. One that it has answered before is
// asked again.
func (d *DB) PlanRehearsals(ctx context.Context, rows []chat.Rehearsal) error {
	return d.planRehearsals(ctx, upsertRehearsal, rows)
}

// PlanShadows adds questions that the AI shall answer beside a person, once for each answer.
func (d *DB) PlanShadows(ctx context.Context, rows []chat.Rehearsal) error {
	return d.planRehearsals(ctx, planShadow, rows)
}

func (d *DB) planRehearsals(ctx context.Context, query string, rows []chat.Rehearsal) error {
	return d.backend.apply(ctx, func(t *tx) error {
		for i := range rows {
			r := &rows[i]
			session, err := t.number(r.SessionID)
			if err == nil {
				_, err = t.q.exec(query, r.ID, session, r.Message, r.Question, r.Answered, int64(r.AskedAt))
			}
			if err != nil {
				return fmt.Errorf("plan a rehearsal: %w", err)
			}
		}
		_, err := t.q.exec(oldRehearsals, chat.MaxRehearsals)
		if err == nil {
			_, err = t.q.exec(oldEarned, 2*chat.MaxRehearsals)
		}
		return err
	})
}

// Rehearsals lists the questions, newest first.
func (d *DB) Rehearsals(ctx context.Context) (rows []chat.Rehearsal, err error) {
	err = d.backend.read(ctx, func(t *tx) error {
		rows, err = list[chat.Rehearsal](t, selectRehearsals+` ORDER BY r.asked_at DESC, r.id`)
		return err
	})
	return rows, err
}

// NextRehearsal returns a question that waits, one without an id if none does.
func (d *DB) NextRehearsal(ctx context.Context) (r chat.Rehearsal, err error) {
	err = d.backend.read(ctx, func(t *tx) error {
		rows, err := list[chat.Rehearsal](t, selectRehearsals+` WHERE r.waiting = 1 ORDER BY r.asked_at DESC, r.id LIMIT 1`)
		if r = (chat.Rehearsal{}); len(rows) > 0 {
			r = rows[0]
		}
		return err
	})
	return r, err
}

// SettleRehearsal stores what came of a question. A judgement of other words does not stay.
func (d *DB) SettleRehearsal(ctx context.Context, r *chat.Rehearsal) error {
	return d.backend.apply(ctx, func(t *tx) error {
		n, err := t.q.exec(settleRehearsal, r.Said, r.Verdict, r.Reason, r.Judged, int64(r.At), r.Tokens, r.ID)
		if err == nil && n > 0 {
			_, err = t.q.exec(forgetRested, r.ID)
		}
		for i := range r.Rests {
			if p := &r.Rests[i]; err == nil && n > 0 {
				_, err = t.q.exec(insertRested, r.ID, i, p.Source, p.URL, p.Title, p.Text)
			}
		}
		return err
	})
}

const (
	forgetRested = `DELETE FROM rehearsal_passages WHERE rehearsal = ?`
	insertRested = `INSERT INTO rehearsal_passages (rehearsal, place, source, url, title, text) VALUES (?, ?, ?, ?, ?, ?)`
	// selectOutdated leaves out pages that are about to be read: their passages are replaced.
	selectOutdated = `SELECT rp.rehearsal AS id, v.site, MIN(rp.title) AS cause FROM rehearsal_passages rp
		JOIN rehearsals r ON r.id = rp.rehearsal JOIN sessions v ON v.number = r.session
		WHERE r.waiting = 0 AND NOT EXISTS (SELECT 1 FROM sources s JOIN pages p ON p.source = s.number LEFT JOIN passages g ON g.page = p.number
			WHERE s.id = rp.source AND p.url = rp.url AND (p.state = 0 OR g.text = rp.text))
		GROUP BY rp.rehearsal, v.site ORDER BY rp.rehearsal`
	askAgain = `UPDATE rehearsals SET waiting = 1, cause = ? WHERE id = ? AND waiting = 0`
)

// OutdatedRehearsals lists questions whose answer rests on a passage that is gone or changed, with the
// page as their cause.
func (d *DB) OutdatedRehearsals(ctx context.Context) (rows []chat.Rehearsal, err error) {
	err = d.backend.read(ctx, func(t *tx) error {
		rows, err = list[chat.Rehearsal](t, selectOutdated)
		return err
	})
	return rows, err
}

// AskAgain has questions asked again because of their cause, once.
func (d *DB) AskAgain(ctx context.Context, rows []chat.Rehearsal) error {
	return d.backend.apply(ctx, func(t *tx) error {
		for i := range rows {
			_, err := t.q.exec(askAgain, rows[i].Cause, rows[i].ID)
			if err == nil {
				_, err = t.q.exec(forgetRested, rows[i].ID)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// JudgeRehearsal stores what a person makes of an answer.
func (d *DB) JudgeRehearsal(ctx context.Context, id, judged string) error {
	return d.backend.apply(ctx, func(t *tx) error { return t.touch(chat.ErrRehearsalNotFound, judgeRehearsal, judged, id) })
}

// StopRehearsals lets questions wait no more. What came of them before stays.
func (d *DB) StopRehearsals(ctx context.Context, ids []string) error {
	return d.backend.apply(ctx, func(t *tx) error {
		for _, id := range ids {
			for _, query := range []string{dropRehearsal, stopRehearsal} {
				if _, err := t.q.exec(query, id); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
