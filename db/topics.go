package db

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
)

const (
	selectTopics    = `SELECT id, site, name, made_at FROM ai_topics ORDER BY made_at, id`
	selectTopic     = `SELECT id, site, name, made_at FROM ai_topics WHERE id = ?`
	insertTopic     = `INSERT INTO ai_topics (id, site, made_at) VALUES (?, ?, ?)`
	nameTopic       = `UPDATE ai_topics SET name = ? WHERE id = ?`
	countUnsorted   = `SELECT COUNT(*) FROM rehearsals WHERE topic = ''`
	sortRehearsal   = `UPDATE rehearsals SET topic = ? WHERE id = ? AND topic = ''`
	mergeRehearsals = `UPDATE rehearsals SET topic = ? WHERE topic = ?`
	dropTopic       = `DELETE FROM ai_topics WHERE id = ?`
	// emptyTopics drops those whose questions are gone.
	emptyTopics  = `DELETE FROM ai_topics WHERE name = '' AND NOT EXISTS (SELECT 1 FROM rehearsals r WHERE r.topic = ai_topics.id)`
	topicsOfSite = `DELETE FROM ai_topics WHERE site = ?`
)

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
		_, err := t.q.exec(emptyTopics)
		return err
	})
}

// NameTopic gives a topic a name, "" for that of its questions.
func (d *DB) NameTopic(ctx context.Context, id, name string) error {
	return d.backend.apply(ctx, func(t *tx) error { return t.touch(chat.ErrTopicNotFound, nameTopic, name, id) })
}

// MergeTopic puts a topic's questions into another one of the same site.
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
		if _, err = t.q.exec(mergeRehearsals, into, id); err == nil {
			_, err = t.q.exec(dropTopic, id)
		}
		return err
	})
}
