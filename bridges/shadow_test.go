package bridges_test

import (
	"context"
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

// TestShadow: where the AI rehearses, it answers beside each answer of a person, once that is whole,
// and nobody in the conversation sees it.
func TestShadow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, err := db.Memory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		log := slog.New(slog.DiscardHandler)
		settings := map[string]chat.Raw{"aiBaseUrl": chat.Raw(`"http://model.example"`), "aiModel": chat.Raw(`"m"`), "aiMode": chat.Raw(`"rehearse"`)}
		e, err := engine.Open(t.Context(), engine.Config{Store: store, Log: log, Settings: settings, Targets: func(*chat.Settings) []chat.Target { return nil }})
		if err != nil {
			t.Fatal(err)
		}
		topics := bridges.NewTopics(e, store)
		r := bridges.NewRehearsals(bridges.NewAI(e, bridges.AIOptions{Knowledge: ai.None{}, Topics: topics, Log: log}), store, topics)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.Run(ctx) }()
		v, err := e.Init(t.Context(), engine.Visit{VisitorID: chat.NewID(), New: true})
		if err != nil {
			t.Fatal(err)
		}
		say := func(sender chat.Sender, text string) {
			t.Helper()
			by := chat.Author{Sender: sender, Source: "telegram", Name: "Ada"}
			if _, err := e.Send(t.Context(), by, engine.Post{SessionID: v.Session.ID, Content: text}); err != nil {
				t.Fatal(err)
			}
		}
		shadows := func(when, want string) {
			t.Helper()
			list, err := r.List(t.Context(), nil)
			got := ""
			for _, one := range list {
				got += one.Question + " → " + one.Answered + " (" + one.Verdict + ");"
			}
			if err != nil || got != want {
				t.Errorf("%s there are %q (%v), not %q", when, got, err, want)
			}
		}
		say(chat.SenderVisitor, "When do you open?")
		say(chat.SenderOperator, "At 9.")
		time.Sleep(time.Minute)
		shadows("while the person may go on", "")
		say(chat.SenderOperator, "On Sundays at 10.")
		time.Sleep(90 * time.Second)
		shadows("while the person may still go on", "")
		time.Sleep(90 * time.Second)
		shadows("afterwards", "When do you open? → At 9.\nOn Sundays at 10. (handover);")
		say(chat.SenderVisitor, "Do you deliver?")
		time.Sleep(10 * time.Minute)
		shadows("of what nobody answers", "When do you open? → At 9.\nOn Sundays at 10. (handover);")
		err = store.Read(t.Context(), func(rd chat.Reader) error {
			list, err := rd.Messages(chat.MessageQuery{SessionID: v.Session.ID, Limit: 100})
			if len(list) != 4 {
				t.Errorf("the conversation has %d messages", len(list))
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
