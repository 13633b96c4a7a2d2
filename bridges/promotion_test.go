package bridges_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
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

// stumbling is a database that is away when a topic is first turned: before that is stored, or behind.
type stumbling struct {
	*db.DB
	behind   bool
	stumbled atomic.Bool
}

func (s *stumbling) TurnTopic(ctx context.Context, topic *chat.Topic, from string, note chat.TopicNote, entry chat.AuditEntry) (turned bool, err error) {
	first := s.stumbled.CompareAndSwap(false, true)
	if !first || s.behind {
		turned, err = s.DB.TurnTopic(ctx, topic, from, note, entry)
	}
	if first {
		return false, errors.Join(err, errors.New("the database is away"))
	}
	return turned, err
}

// TestTopicFallsAfterFailure: a topic is taken back because of a rehearsed answer, and people are told
// so once, although relay or its database stops just then.
func TestTopicFallsAfterFailure(t *testing.T) {
	for name, behind := range map[string]bool{"before it is stored": false, "behind": true} {
		t.Run(name, func(t *testing.T) { fallsAfterFailure(t, behind) })
	}
}

func fallsAfterFailure(t *testing.T, behind bool) {
	memory, err := db.Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	store, log := &stumbling{DB: memory, behind: behind}, slog.New(slog.DiscardHandler)
	model := aitest.New(t, aitest.Says("We ship within 5 days."))
	e, err := engine.Open(t.Context(), engine.Config{Store: memory, Log: log, Targets: func(*chat.Settings) []chat.Target { return nil },
		Settings: map[string]chat.Raw{"aiBaseUrl": chat.Raw(chat.MustJSON(model.Listen())), "aiModel": chat.Raw(`"m"`), "aiMode": chat.Raw(`"rehearse"`)}})
	if err != nil {
		t.Fatal(err)
	}
	topics := bridges.NewTopics(e, store)
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
	if turned, failed := memory.TurnTopic(t.Context(), &topic, chat.TopicLearning, chat.TopicNote{}, chat.AuditEntry{}); err != nil || failed != nil || !turned {
		t.Fatal(err, failed)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	state, told := "", 0
	deadline := time.Now().Add(10 * time.Second)
	for ; (state != chat.TopicLearning || told == 0) && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		all, err := memory.Topics(t.Context())
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		state, told = all[0].State, toldOfTopics(t, memory, v.Session.ID)
		if err := r.Plan(t.Context(), nil); err != nil { // it looks again at once
			t.Fatal(err)
		}
	}
	if !store.stumbled.Load() || state != chat.TopicLearning || told != 1 {
		t.Errorf("the topic is %s, and people are told %d times", state, told)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if list := audited(t, memory); len(list) != 1 || list[0].Action != chat.AuditAITopicFell {
		t.Errorf("the audit list has %+v", list)
	}
	if left, err := memory.TopicNotes(t.Context(), ""); told != toldOfTopics(t, memory, v.Session.ID) || len(left) > 0 || err != nil {
		t.Errorf("people are told again: %+v, %v", left, err)
	}
}

// audited is the audit list.
func audited(t *testing.T, store *db.DB) (list []chat.AuditEntry) {
	t.Helper()
	err := store.ReadOne(t.Context(), func(rd chat.Reader) (err error) {
		list, err = rd.Audit(chat.AuditQuery{Limit: 10})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// toldOfTopics counts the notes that a topic fell back, in a session.
func toldOfTopics(t *testing.T, store *db.DB, sessionID string) (n int) {
	t.Helper()
	err := store.Read(t.Context(), func(rd chat.Reader) error {
		messages, err := rd.Messages(chat.MessageQuery{SessionID: sessionID, Limit: 100})
		n = 0
		for i := range messages {
			if m := &messages[i]; m.Internal && strings.HasPrefix(m.Content, "I no longer answer questions about") {
				n++
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
