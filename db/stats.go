package db

import (
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Every session that has to do with a period was active since its beginning,
// so counting costs as much as the period holds, whatever the total is. The
// statuses are written out because that is how the index is ordered.
const since = `s.status IN ('open', 'closed') AND s.started_at > 0 AND s.last_activity >= ?`

const (
	selectSessionStats = `SELECT COUNT(*) AS sessions, COALESCE(SUM(CASE WHEN s.answered_at > 0 THEN 1 ELSE 0 END), 0) AS answered,
		COALESCE(AVG(CASE WHEN s.answered_at > 0 THEN CAST(s.answered_at - s.started_at AS DOUBLE PRECISION) END), 0) / 1000 AS first_answer
		FROM sessions s WHERE ` + since + ` AND s.started_at >= ?`
	selectRatings = `SELECT COUNT(*) AS ratings, COALESCE(AVG(CAST(s.csat_score AS DOUBLE PRECISION)), 0) AS score
		FROM sessions s WHERE ` + since + ` AND s.csat_responded_at >= ?`
	selectMessageStats = `SELECT COALESCE(SUM(CASE WHEN m.sender = 'visitor' THEN 1 ELSE 0 END), 0) AS visitor,
		COALESCE(SUM(CASE WHEN m.sender = 'operator' THEN 1 ELSE 0 END), 0) AS operator,
		COALESCE(SUM(CASE WHEN m.sender = 'ai' THEN 1 ELSE 0 END), 0) AS ai
		FROM sessions s JOIN messages m ON m.session = s.number WHERE ` + since + ` AND m.created_at >= ? AND NOT m.internal`
	selectDays = `SELECT day, CAST(SUM(sessions) AS BIGINT) AS sessions, CAST(SUM(messages) AS BIGINT) AS messages FROM (
		SELECT s.started_at / 86400000 AS day, 1 AS sessions, 0 AS messages
			FROM sessions s WHERE ` + since + ` AND s.started_at >= ?
		UNION ALL SELECT m.created_at / 86400000, 0, 1
			FROM sessions s JOIN messages m ON m.session = s.number WHERE ` + since + ` AND m.created_at >= ? AND NOT m.internal
		) AS happened GROUP BY day`
)

// Stats implements [chat.Reader].
func (t *tx) Stats(from chat.Time) (chat.Stats, error) {
	var stats chat.Stats
	for _, query := range []string{selectSessionStats, selectRatings, selectMessageStats} {
		if err := t.q.get(&stats, query, int64(from), int64(from)); err != nil {
			return stats, err
		}
	}
	days, err := list[chat.Day](t, selectDays, int64(from), int64(from), int64(from), int64(from))
	stats.Days = days
	return stats, err
}

const (
	answeredSince   = ` FROM sessions s WHERE ` + since + ` AND s.started_at >= ? AND s.answered_at > 0`
	countAnswered   = `SELECT COUNT(*)` + answeredSince
	selectNthAnswer = `SELECT s.answered_at - s.started_at` + answeredSince + ` ORDER BY 1 LIMIT 1 OFFSET ?`
)

// FirstAnswers implements [chat.Reader]. The databases have no median in common.
func (t *tx) FirstAnswers(from chat.Time) (median time.Duration, answered int, err error) {
	defer t.q.survey()()
	var n, wait int64
	if err := t.q.get(&n, countAnswered, int64(from), int64(from)); err != nil || n == 0 {
		return 0, 0, err
	}
	err = t.row(nil, []any{&wait}, selectNthAnswer, int64(from), int64(from), (n-1)/2)
	return time.Duration(max(wait, 0)) * time.Millisecond, int(n), err
}
