package bridges_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/ai"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// stubborn is a database in which some topics cannot be turned and some notes not be dropped.
type stubborn struct{ *db.DB }

const stubbornPrefix = "a-stuck"

var errStubborn = errors.New("the row is locked")

func (s stubborn) TurnTopic(ctx context.Context, topic *chat.Topic, from string, note chat.TopicNote, entry chat.AuditEntry) (bool, error) {
	if strings.HasPrefix(topic.ID, stubbornPrefix) {
		return false, errStubborn
	}
	return s.DB.TurnTopic(ctx, topic, from, note, entry)
}

func (s stubborn) DropTopicNote(ctx context.Context, client string) error {
	if strings.HasPrefix(client, stubbornPrefix) {
		return errStubborn
	}
	return s.DB.DropTopicNote(ctx, client)
}

// reviewed is a relay that rehearses, with topics that the AI answers.
type reviewed struct {
	*testing.T
	memory *db.DB
	engine *engine.Engine
	log    strings.Builder
	said   int
}

func newReviewed(t *testing.T) *reviewed {
	memory, err := db.Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]chat.Raw{"aiBaseUrl": chat.Raw(`"http://model.example"`), "aiModel": chat.Raw(`"m"`), "aiMode": chat.Raw(`"rehearse"`)}
	e, err := engine.Open(t.Context(), engine.Config{Store: memory, Log: slog.New(slog.DiscardHandler), Settings: settings, Targets: func(*chat.Settings) []chat.Target { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	return &reviewed{T: t, memory: memory, engine: e}
}

func (r *reviewed) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *reviewed) session() string {
	v, err := r.engine.Init(r.Context(), engine.Visit{VisitorID: chat.NewID(), New: true})
	r.must(err)
	return v.Session.ID
}

// answers is a topic that the AI answers by itself.
func (r *reviewed) answers(id, session string) {
	r.must(r.memory.PlanRehearsals(r.Context(), []chat.Rehearsal{{ID: id, SessionID: session, Message: id, Question: "About " + id + "?", AskedAt: 1}}))
	topic := chat.Topic{ID: id, MadeAt: 1}
	r.must(r.memory.SortRehearsals(r.Context(), []chat.Topic{topic}, map[string]string{id: id}))
	topic.State = chat.TopicAnswers
	_, err := r.memory.TurnTopic(r.Context(), &topic, chat.TopicLearning, chat.TopicNote{}, chat.AuditEntry{})
	r.must(err)
}

// corrected is an answer of the AI because of a topic that a person corrected.
func (r *reviewed) corrected(topic string) {
	session, client := r.session(), fmt.Sprintf("c%03d", r.said)
	r.said++
	for _, say := range []struct {
		by   chat.Sender
		text string
	}{{chat.SenderVisitor, "How long does shipping take?"}, {chat.SenderAI, "We ship within 5 days."}, {chat.SenderOperator, "Within 9 days."}} {
		post := engine.Post{SessionID: session, Content: say.text}
		if say.by == chat.SenderAI {
			post.ClientID = client
		}
		_, err := r.engine.Send(r.Context(), chat.Author{Sender: say.by, Source: chat.SourceAPI}, post)
		r.must(err)
	}
	r.must(r.memory.PutTopicAnswer(r.Context(), chat.TopicAnswer{ClientID: client, SessionID: session, Topic: topic, At: chat.Now()}))
}

// run rehearses for a while.
func (r *reviewed) run(during time.Duration) {
	log := slog.New(slog.NewTextHandler(&r.log, nil))
	topics := bridges.NewTopics(r.engine, stubborn{r.memory})
	rehearsals := bridges.NewRehearsals(bridges.NewAI(r.engine, bridges.AIOptions{Knowledge: ai.None{}, Topics: topics, Log: log}), stubborn{r.memory}, topics)
	ctx, stop := context.WithCancel(r.Context())
	ended := make(chan error, 1)
	go func() { ended <- rehearsals.Run(ctx) }()
	time.Sleep(during)
	stop()
	r.must(<-ended)
}

// TestReviewGoesOn: topics that cannot be given back hold up neither the others, however many they are, nor the
// rehearsal. It is reported, once a minute.
func TestReviewGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReviewed(t)
		defer r.memory.Close()
		session := r.session()
		r.answers(stubbornPrefix, session)
		r.answers("shipping", session)
		for range 120 {
			r.corrected(stubbornPrefix)
		}
		r.corrected("shipping")
		r.run(3*time.Minute + time.Second)
		topics, err := r.memory.Topics(t.Context())
		r.must(err)
		for _, topic := range topics {
			if want := map[string]string{stubbornPrefix: chat.TopicAnswers, "shipping": chat.TopicLearning}[topic.ID]; topic.State != want {
				t.Errorf("%s is %s", topic.ID, topic.State)
			}
		}
		if list, err := r.memory.Rehearsals(t.Context()); err != nil || len(list) != 2 || list[0].Waiting || list[1].Waiting {
			t.Errorf("a question still waits: %+v, %v", list, err)
		}
		if n := strings.Count(r.log.String(), "cannot look what speaks against"); n < 3 || n > 4 || !strings.Contains(r.log.String(), "and 117 more like these") {
			t.Errorf("it is reported %d times: %s", n, r.log.String())
		}
	})
}

// TestManyStuckTopicNotes: notes that cannot be settled do not hide newer ones, however many they are.
func TestManyStuckTopicNotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReviewed(t)
		defer r.memory.Close()
		session := r.session()
		r.answers("shipping", session)
		state := []string{chat.TopicAnswers, chat.TopicLearning}
		for i := range 131 {
			client := fmt.Sprintf("%s%03d", stubbornPrefix, i)
			if i == 130 {
				client = "newest"
			}
			topic := chat.Topic{ID: "shipping", State: state[(i+1)%2]}
			note := chat.TopicNote{ClientID: client, SessionID: session, Content: "I no longer answer questions about “" + client + "” myself."}
			_, err := r.memory.TurnTopic(t.Context(), &topic, state[i%2], note, chat.AuditEntry{})
			r.must(err)
		}
		r.run(2*time.Minute + time.Second)
		left, err := r.memory.TopicNotes(t.Context(), stubbornPrefix+"099")
		if err != nil || len(left) != 30 {
			t.Errorf("%d notes are left behind the first hundred, %v", len(left), err)
		}
		if n := strings.Count(r.log.String(), "cannot tell operators"); n < 2 || n > 3 {
			t.Errorf("it is reported %d times: %s", n, r.log.String())
		}
	})
}
