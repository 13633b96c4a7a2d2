package bridges_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/ai"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// clinging is a database that does not let go of one note.
type clinging struct {
	*db.DB
	to string
}

func (c clinging) DropTopicNote(ctx context.Context, client string) error {
	if client == c.to {
		return errors.New("the row is locked")
	}
	return c.DB.DropTopicNote(ctx, client)
}

// TestTopicNotesApart: a note about a topic that cannot be settled holds up neither the notes behind it nor
// the rehearsal, and is written once.
func TestTopicNotesApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory, err := db.Memory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer memory.Close()
		store, log := clinging{memory, "1"}, slog.New(slog.DiscardHandler)
		settings := map[string]chat.Raw{"aiBaseUrl": chat.Raw(`"http://model.example"`), "aiModel": chat.Raw(`"m"`), "aiMode": chat.Raw(`"rehearse"`)}
		e, err := engine.Open(t.Context(), engine.Config{Store: memory, Log: log, Settings: settings, Targets: func(*chat.Settings) []chat.Target { return nil }})
		if err != nil {
			t.Fatal(err)
		}
		v, err := e.Init(t.Context(), engine.Visit{VisitorID: chat.NewID(), New: true})
		if err != nil {
			t.Fatal(err)
		}
		rows := []chat.Rehearsal{{ID: "q", SessionID: v.Session.ID, Message: "m", Question: "When do you open?", AskedAt: 1}}
		if err := memory.PlanRehearsals(t.Context(), rows); err != nil {
			t.Fatal(err)
		}
		if err := memory.SortRehearsals(t.Context(), []chat.Topic{{ID: "hours", MadeAt: 1}}, map[string]string{"q": "hours"}); err != nil {
			t.Fatal(err)
		}
		topic, state := chat.Topic{ID: "hours"}, []string{chat.TopicLearning, chat.TopicAnswers, chat.TopicLearning}
		for i, client := range []string{"1", "2"} {
			topic.State = state[i+1]
			note := chat.TopicNote{ClientID: client, SessionID: v.Session.ID, Content: "I no longer answer questions about “" + client + "” myself."}
			if turned, err := memory.TurnTopic(t.Context(), &topic, state[i], note, chat.AuditEntry{}); err != nil || !turned {
				t.Fatal(turned, err)
			}
		}
		topics := bridges.NewTopics(e, store)
		r := bridges.NewRehearsals(bridges.NewAI(e, bridges.AIOptions{Knowledge: ai.None{}, Topics: topics, Log: log}), store, topics)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.Run(ctx) }()
		time.Sleep(10 * time.Minute)
		left, err := memory.TopicNotes(t.Context(), "")
		if told := toldOfTopics(t, memory, v.Session.ID); err != nil || told != 2 || len(left) != 1 {
			t.Errorf("people are told %d times, %d notes are left, %v", told, len(left), err)
		}
		if list, err := memory.Rehearsals(t.Context()); err != nil || len(list) != 1 || list[0].Waiting {
			t.Errorf("the question still waits: %+v, %v", list, err)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
