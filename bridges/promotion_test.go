package bridges_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/ai"
	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// shipping is a knowledge base of one page.
type shipping struct{ ai.None }

func (shipping) Passages(context.Context, *string, string, int) ([]chat.Passage, error) {
	return []chat.Passage{{Source: "s", Title: "Shipping", Text: "We ship within 5 days."}}, nil
}

// stumbling is a database that is away when a topic is first turned.
type stumbling struct {
	*db.DB
	stumbled atomic.Bool
}

func (s *stumbling) TurnTopic(ctx context.Context, topic *chat.Topic, from string) (bool, error) {
	if s.stumbled.CompareAndSwap(false, true) {
		return false, errors.New("the database is away")
	}
	return s.DB.TurnTopic(ctx, topic, from)
}

// unread is an audit list that nobody reads.
type unread struct{}

func (unread) Add(context.Context, chat.Author, chat.AuditEntry) {}

// TestTopicFallsAfterFailure: a topic is taken back because of a rehearsed answer, although relay or
// its database stops just then.
func TestTopicFallsAfterFailure(t *testing.T) {
	memory, err := db.Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	store, log := &stumbling{DB: memory}, slog.New(slog.DiscardHandler)
	model := aitest.New(t, aitest.Says("We ship within 5 days."))
	e, err := engine.Open(t.Context(), engine.Config{Store: memory, Log: log, Targets: func(*chat.Settings) []chat.Target { return nil },
		Settings: map[string]chat.Raw{"aiBaseUrl": chat.Raw(chat.MustJSON(model.Listen())), "aiModel": chat.Raw(`"m"`), "aiMode": chat.Raw(`"rehearse"`)}})
	if err != nil {
		t.Fatal(err)
	}
	topics := bridges.NewTopics(e, store, unread{})
	r := bridges.NewRehearsals(bridges.NewAI(e, bridges.AIOptions{Knowledge: shipping{}, Topics: topics, Log: log}), store, topics)
	v, err := e.Init(t.Context(), engine.Visit{VisitorID: chat.NewID(), New: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, say := range []struct {
		by   chat.Sender
		text string
	}{{chat.SenderVisitor, "How long does shipping take?"}, {chat.SenderOperator, "Within 9 days."}} {
		by := chat.Author{Sender: say.by, Source: chat.SourceAPI}
		if _, err := e.Send(t.Context(), by, engine.Post{SessionID: v.Session.ID, Content: say.text}); err != nil {
			t.Fatal(err)
		}
	}
	list, err := r.Find(t.Context(), nil, 9)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	topic := chat.Topic{ID: "shipping", State: chat.TopicAnswers}
	err = errors.Join(memory.PlanRehearsals(t.Context(), list),
		memory.SortRehearsals(t.Context(), []chat.Topic{topic}, map[string]string{list[0].ID: topic.ID}))
	if turned, failed := memory.TurnTopic(t.Context(), &topic, chat.TopicLearning); err != nil || failed != nil || !turned {
		t.Fatal(err, failed)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	state := ""
	deadline := time.Now().Add(10 * time.Second)
	for ; state != chat.TopicLearning && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		all, err := memory.Topics(t.Context())
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		state = all[0].State
		if err := r.Plan(t.Context(), nil); err != nil { // it looks again at once
			t.Fatal(err)
		}
	}
	if !store.stumbled.Load() || state != chat.TopicLearning {
		t.Errorf("the topic is %s", state)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
