package db_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// planTopic puts a question of each session into a topic.
func planTopic(t *testing.T, d *db.DB, topic string, sessions ...string) {
	t.Helper()
	into := map[string]string{}
	var rows []chat.Rehearsal
	for i, s := range sessions {
		id := topic + s
		rows = append(rows, chat.Rehearsal{ID: id, SessionID: s, Message: "of " + id, AskedAt: chat.Time(1 + i)})
		into[id] = topic
	}
	if err := d.PlanRehearsals(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	if err := d.SortRehearsals(t.Context(), []chat.Topic{{ID: topic, MadeAt: 1}}, into); err != nil {
		t.Fatal(err)
	}
}

// TestErasureForgetsTopics: what a person called a topic goes with its last question, and a topic that
// asked in an erased session asks again.
func TestErasureForgetsTopics(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		apply(t, d, func(tx chat.Tx) error {
			for _, id := range []string{"ann", "bob"} {
				if err := tx.CreateSession(newSession(id, 1)); err != nil {
					return err
				}
			}
			return nil
		})
		planTopic(t, d, "hers", "ann")
		planTopic(t, d, "shared", "ann", "bob")
		planTopic(t, d, "other", "ann")
		apply(t, d, func(tx chat.Tx) error {
			put := func(topic, name string) error {
				return tx.PutAudit(&chat.AuditEntry{At: 1, Action: chat.AuditAITopic, Target: topic, Detail: name, Count: 1})
			}
			return errors.Join(put("hers", "Ann Lee’s parcel"), put("other", "Ann Lee"), put("shared", "shipping"))
		})
		if err := d.MergeTopic(t.Context(), "other", "hers"); err != nil {
			t.Fatal(err)
		}
		if err := d.NameTopic(t.Context(), "hers", "Ann Lee’s parcel"); err != nil {
			t.Fatal(err)
		}
		for _, topic := range []chat.Topic{{ID: "hers", State: chat.TopicAnswers}, {ID: "shared", State: chat.TopicOffered, SessionID: "ann"}} {
			if turned, err := d.TurnTopic(t.Context(), &topic, chat.TopicLearning, chat.TopicNote{}, chat.AuditEntry{}); !turned || err != nil {
				t.Fatal(turned, err)
			}
		}
		if err := d.Erase(t.Context(), "ann"); err != nil {
			t.Fatal(err)
		}
		topics, err := d.Topics(t.Context())
		if err != nil || len(topics) != 1 || topics[0].ID != "shared" || topics[0].State != chat.TopicLearning || topics[0].SessionID != "" {
			t.Errorf("there are %+v (%v)", topics, err)
		}
		read(t, d, func(rd chat.Reader) error {
			entries, err := rd.Audit(chat.AuditQuery{Limit: 9})
			if len(entries) != 3 || entries[0].Detail != "shipping" || entries[1].Detail != "" || entries[2].Detail != "" {
				t.Errorf("the audit list has %+v", entries)
			}
			return err
		})
	})
}

// TestMergedAnswers: what was answered because of a topic that became part of another is the
// other's to answer for.
func TestMergedAnswers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		apply(t, d, func(tx chat.Tx) error { return tx.CreateSession(newSession("s", 1)) })
		planTopic(t, d, "one", "s")
		planTopic(t, d, "two", "s")
		if err := d.PutTopicAnswer(t.Context(), chat.TopicAnswer{ClientID: "c", SessionID: "s", Topic: "one", At: 1}); err != nil {
			t.Fatal(err)
		}
		if err := d.MergeTopic(t.Context(), "one", "two"); err != nil {
			t.Fatal(err)
		}
		if answers, err := d.ChangedTopicAnswers(t.Context(), chat.TopicAnswer{}); err != nil || len(answers) != 1 || answers[0].Topic != "two" {
			t.Errorf("there are %+v (%v)", answers, err)
		}
	})
}

// TestDeletedIsNotRehearsed: what somebody deleted is not kept as what was asked or answered.
func TestDeletedIsNotRehearsed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for deleted, left := range map[string]string{"m1": "m4", "m2": "m4", "m3": "m4", "m4": "m2", "m5": "m2"} {
			session := "of " + deleted
			apply(t, d, func(tx chat.Tx) error {
				if err := tx.CreateSession(newSession(session, 1)); err != nil {
					return err
				}
				for seq := int64(1); seq <= 5; seq++ {
					m := newMessage(session, fmt.Sprint("m", seq), seq)
					if seq == 3 || seq == 5 {
						m.Sender = chat.SenderOperator
					}
					if err := tx.InsertMessage(m); err != nil {
						return err
					}
				}
				return nil
			})
			err := d.PlanRehearsals(t.Context(), []chat.Rehearsal{
				{ID: session + "2", SessionID: session, Message: "m2", AskedAt: 1002},
				{ID: session + "4", SessionID: session, Message: "m4", AskedAt: 1004}})
			if err != nil {
				t.Fatal(err)
			}
			apply(t, d, func(tx chat.Tx) error {
				return tx.Redact(session, deleted, func(chat.Event) chat.Raw { return chat.Raw(`{}`) })
			})
			list, err := d.Rehearsals(t.Context())
			list = slices.DeleteFunc(list, func(r chat.Rehearsal) bool { return r.SessionID != session })
			if err != nil || len(list) != 1 || list[0].Message != left {
				t.Errorf("after deleting %s there are %+v (%v)", deleted, list, err)
			}
		}
	})
}
