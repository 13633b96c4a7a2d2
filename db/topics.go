package db

import (
	"context"
	"errors"

	"github.com/relay-chat/relay/server/chat"
)

const topicColumns = `id, site, name, made_at, state, reason, fell_at, session`

const (
	selectTopics    = `SELECT ` + topicColumns + ` FROM ai_topics ORDER BY made_at, id`
	selectTopic     = `SELECT ` + topicColumns + ` FROM ai_topics WHERE id = ?`
	insertTopic     = `INSERT INTO ai_topics (id, site, made_at) VALUES (?, ?, ?)`
	nameTopic       = `UPDATE ai_topics SET name = ? WHERE id = ?`
	countUnsorted   = `SELECT COUNT(*) FROM rehearsals WHERE topic = ''`
	sortRehearsal   = `UPDATE rehearsals SET topic = ? WHERE id = ? AND topic = ''`
	mergeRehearsals = `UPDATE rehearsals SET topic = ? WHERE topic = ?`
	mergeAnswers    = `UPDATE topic_answers SET topic = ? WHERE topic = ?`
	dropTopic       = `DELETE FROM ai_topics WHERE id = ?`
	turnTopic       = `UPDATE ai_topics SET state = ?, reason = ?, fell_at = ?, session = ? WHERE id = ? AND state = ?`
	mergedTopic     = `UPDATE ai_topics SET state = 'learning', reason = ? WHERE id = ?`
	topicsOfSite    = `DELETE FROM ai_topics WHERE site = ?`

	// aboutTopics are the entries of the audit list whose details are names of topics.
	aboutTopics  = `action IN ('ai_topic_changed', 'ai_topic_answers', 'ai_topic_fell') AND target`
	forgetNames  = `UPDATE audit SET detail = '' WHERE ` + aboutTopics + ` = ?`
	mergeEntries = `UPDATE audit SET target = ? WHERE ` + aboutTopics + ` = ?`

	selectEmpty    = `SELECT id FROM ai_topics WHERE NOT EXISTS (SELECT 1 FROM rehearsals r WHERE r.topic = ai_topics.id)`
	selectTopicsOf = `SELECT DISTINCT topic FROM rehearsals WHERE session = ? AND topic <> ''`
	forgetPlace    = `UPDATE ai_topics SET session = '', state = CASE state WHEN 'offered' THEN 'learning' ELSE state END WHERE session = ?`
)

// forgetTopics takes an erased session out of topics: what was asked there is asked elsewhere, and
// those of which it had the last questions go with the names that people gave them.
func (t *tx) forgetTopics(sessionID string, its []string) error {
	_, err := t.q.exec(forgetPlace, sessionID)
	for _, id := range its {
		if err == nil {
			err = t.dropEmpty(selectEmpty+` AND id = ?`, id)
		}
	}
	return err
}

// These find what was asked by a visitor's message, and what was answered by a person's.
const (
	rehearsedAsk    = `session = ? AND asked_at = (SELECT MIN(asked_at) FROM rehearsals WHERE session = ? AND asked_at >= ?)`
	rehearsedAnswer = `session = ? AND asked_at = (SELECT MAX(asked_at) FROM rehearsals WHERE session = ? AND asked_at <= ?)`

	selectTopicBy   = `SELECT topic FROM rehearsals WHERE `
	deleteRehearsal = `DELETE FROM rehearsals WHERE `
)

// forgetRehearsed removes what has a deleted message's words.
func (t *tx) forgetRehearsed(m *chat.Message) error {
	by := map[chat.Sender]string{chat.SenderVisitor: rehearsedAsk, chat.SenderOperator: rehearsedAnswer}[m.Sender]
	if by == "" || m.Internal {
		return nil
	}
	session, err := t.number(m.SessionID)
	if err != nil {
		return err
	}
	its := []any{session, session, int64(m.Timestamp)}
	topics, err := list[string](t, selectTopicBy+by, its...)
	if err != nil || len(topics) == 0 {
		return err
	}
	if _, err = t.q.exec(deleteRehearsal+by, its...); err != nil {
		return err
	}
	for _, id := range topics {
		err = errors.Join(err, t.dropEmpty(selectEmpty+` AND id = ?`, id))
	}
	return err
}

// dropEmpty drops topics whose questions are gone, as no other question is like them. Their names
// go out of the audit list, too.
func (t *tx) dropEmpty(query string, args ...any) error {
	empty, err := list[string](t, query, args...)
	for _, id := range empty {
		for _, query := range []string{forgetNames, dropTopic} {
			if err == nil {
				_, err = t.q.exec(query, id)
			}
		}
	}
	return err
}

// Topics lists the topics, oldest first.
func (d *DB) Topics(ctx context.Context) (topics []chat.Topic, err error) {
	err = d.backend.read(ctx, func(t *tx) error {
		topics, err = list[chat.Topic](t, selectTopics)
		return err
	})
	return topics, err
}

// Unsorted counts the questions that are in no topic yet.
func (d *DB) Unsorted(ctx context.Context) (n int, err error) {
	err = d.backend.read(ctx, func(t *tx) error {
		n, err = one[int](t, nil, countUnsorted)
		return err
	})
	return n, err
}

// SortRehearsals adds topics and puts questions into topics, by their ids. A question that is in one
// stays there.
func (d *DB) SortRehearsals(ctx context.Context, topics []chat.Topic, into map[string]string) error {
	return d.backend.apply(ctx, func(t *tx) error {
		for i := range topics {
			if _, err := t.q.exec(insertTopic, topics[i].ID, topics[i].Site, int64(topics[i].MadeAt)); err != nil {
				return err
			}
		}
		for question, topic := range into {
			if _, err := t.q.exec(sortRehearsal, topic, question); err != nil {
				return err
			}
		}
		return t.dropEmpty(selectEmpty)
	})
}

// NameTopic gives a topic a name, "" for that of its questions.
func (d *DB) NameTopic(ctx context.Context, id, name string) error {
	return d.backend.apply(ctx, func(t *tx) error { return t.touch(chat.ErrTopicNotFound, nameTopic, name, id) })
}

// MergeTopic puts a topic's questions into another one of the same site. The AI answers both by itself
// only where it answered each.
func (d *DB) MergeTopic(ctx context.Context, id, into string) error {
	return d.backend.apply(ctx, func(t *tx) error {
		from, err := one[chat.Topic](t, chat.ErrTopicNotFound, selectTopic, id)
		if err != nil {
			return err
		}
		to, err := one[chat.Topic](t, chat.ErrTopicNotFound, selectTopic, into)
		if err != nil || from.Site != to.Site {
			return chat.ErrTopicNotFound
		}
		if from.State != to.State {
			if _, err := t.q.exec(mergedTopic, "another topic became part of it", into); err != nil {
				return err
			}
		}
		for _, query := range []string{mergeRehearsals, mergeAnswers, mergeEntries} {
			if err == nil {
				_, err = t.q.exec(query, into, id)
			}
		}
		if err == nil {
			_, err = t.q.exec(dropTopic, id)
		}
		return err
	})
}

const (
	insertTopicNote  = `INSERT INTO topic_notes (client, session, content) VALUES (?, ?, ?)`
	selectTopicNotes = `SELECT n.client, s.id AS session_id, s.site, n.content FROM topic_notes n JOIN sessions s ON s.number = n.session
		WHERE n.client > ? ORDER BY n.client LIMIT 100`
	dropTopicNote = `DELETE FROM topic_notes WHERE client = ?`
)

// TurnTopic gives a topic another state, unless it has left the one before meanwhile. The entry of the
// audit list is stored with the state, unless it is empty, and so is what operators are told of it,
// unless it has no session or that is erased.
func (d *DB) TurnTopic(ctx context.Context, topic *chat.Topic, from string, note chat.TopicNote, entry chat.AuditEntry) (turned bool, err error) {
	err = d.backend.apply(ctx, func(t *tx) error {
		n, err := t.q.exec(turnTopic, topic.State, topic.Reason, int64(topic.FellAt), topic.SessionID, topic.ID, from)
		if turned = err == nil && n > 0; !turned {
			return err
		}
		if err := t.putEntry(entry); err != nil || note.SessionID == "" {
			return err
		}
		session, err := t.number(note.SessionID)
		if errors.Is(err, chat.ErrSessionNotFound) {
			return nil
		}
		if err == nil {
			_, err = t.q.exec(insertTopicNote, note.ClientID, session, note.Content)
		}
		return err
	})
	return turned, err
}

// TopicNotes lists what operators are not told yet: a hundred at most, behind one of them, or "".
func (d *DB) TopicNotes(ctx context.Context, after string) (notes []chat.TopicNote, err error) {
	err = d.backend.read(ctx, func(t *tx) error {
		notes, err = list[chat.TopicNote](t, selectTopicNotes, after)
		return err
	})
	return notes, err
}

// DropTopicNote forgets what operators are told by now.
func (d *DB) DropTopicNote(ctx context.Context, client string) error {
	return d.backend.apply(ctx, func(t *tx) error {
		_, err := t.q.exec(dropTopicNote, client)
		return err
	})
}

const (
	insertTopicAnswer = `INSERT INTO topic_answers (client, session, topic, at) VALUES (?, ?, ?, ?) ON CONFLICT (client) DO NOTHING`
	changedAnswers    = `SELECT a.client, s.id AS session_id, a.topic, a.at FROM topic_answers a JOIN sessions s ON s.number = a.session
		WHERE s.rev > a.rev AND (a.at > ? OR a.at = ? AND a.client > ?) ORDER BY a.at, a.client LIMIT 100`
	seenTopicAnswer = `UPDATE topic_answers SET rev = ? WHERE client = ?`
	oldTopicAnswers = `DELETE FROM topic_answers WHERE at < ?`
)

// PutTopicAnswer notes what the AI is about to answer because of a topic.
func (d *DB) PutTopicAnswer(ctx context.Context, a chat.TopicAnswer) error {
	return d.backend.apply(ctx, func(t *tx) error {
		session, err := t.number(a.SessionID)
		if err == nil {
			_, err = t.q.exec(insertTopicAnswer, a.ClientID, session, a.Topic, int64(a.At))
		}
		return err
	})
}

// ChangedTopicAnswers lists answers in whose sessions something happened since they were looked at, a
// hundred at most, behind one of them, or an empty one.
func (d *DB) ChangedTopicAnswers(ctx context.Context, after chat.TopicAnswer) (answers []chat.TopicAnswer, err error) {
	err = d.backend.read(ctx, func(t *tx) error {
		answers, err = list[chat.TopicAnswer](t, changedAnswers, int64(after.At), int64(after.At), after.ClientID)
		return err
	})
	return answers, err
}

// SeenTopicAnswer notes up to which revision of its session nothing speaks against an answer.
// Those from before a time are dropped.
func (d *DB) SeenTopicAnswer(ctx context.Context, client string, rev int64, before chat.Time) error {
	return d.backend.apply(ctx, func(t *tx) error {
		_, err := t.q.exec(seenTopicAnswer, rev, client)
		if err == nil {
			_, err = t.q.exec(oldTopicAnswers, int64(before))
		}
		return err
	})
}
